import { QueryFailure } from '../shared/query-failure.tsx';
import classes from './installation-table.module.css';
import { InstallationTable } from './installation-table.tsx';
import { RowSkeletons } from './installations-skeleton.tsx';
import { LoadMore } from './load-more.tsx';
import type { useInstallations } from './use-installations.ts';

/** The search results, with a button for more. */
export function InstallationResults({ list }: { list: ReturnType<typeof useInstallations> }) {
  const { installations, isLoading, failure, hasMore } = list;
  if (failure) {
    return (
      <QueryFailure
        title="The installations could not be searched"
        error={failure}
        onRetry={list.retry}
      />
    );
  }
  if (installations.length === 0 && isLoading) return <RowSkeletons />;
  return (
    <>
      {installations.length === 0 ? (
        <p className={`card ${classes.none}`}>
          {hasMore ? 'No installation matches so far.' : 'No installation matches the search.'}
          {list.isPartial && list.isSearched
            ? ' A long list is searched by how the address of a tenant begins, or by the whole id of a tenant or plug-in.'
            : null}
        </p>
      ) : (
        <InstallationTable installations={installations} isLoading={isLoading} />
      )}
      {hasMore ? (
        <LoadMore
          shownCount={installations.length}
          isLoading={list.isLoadingMore}
          onLoad={list.loadMore}
        />
      ) : null}
    </>
  );
}
