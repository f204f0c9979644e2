import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ServerClock } from '../shared/ticker.tsx';
import { AttentionAlert } from './attention-alert.tsx';
import { EmptyInstallations } from './empty-installations.tsx';
import { InstallationFigures } from './installation-figures.tsx';
import { InstallationFilterBar } from './installation-filter-bar.tsx';
import { InstallationResults } from './installation-results.tsx';
import classes from './installations-page.module.css';
import type { InstallationsSearch } from './installations-search.ts';
import { InstallationsSkeleton } from './installations-skeleton.tsx';
import { useInstallations } from './use-installations.ts';

export function InstallationsPage({ search }: { search: InstallationsSearch }) {
  usePageTitle('Installations');
  const list = useInstallations(search);
  const { all, counts } = list;
  const newest = all.data?.pages.at(-1);

  return (
    <>
      <h1 className={classes.title}>Installations</h1>
      {all.error ? (
        <QueryFailure
          title="The installations could not be loaded"
          error={all.error}
          onRetry={() => void all.refetch()}
        />
      ) : null}
      {all.isPending ? <InstallationsSkeleton /> : null}
      {newest && list.loaded.length === 0 ? <EmptyInstallations /> : null}
      {newest && counts && list.loaded.length > 0 ? (
        <ServerClock serverNow={newest.now} receivedAt={all.dataUpdatedAt}>
          <InstallationFigures counts={counts} />
          <AttentionAlert installations={list.needing} count={counts.attention} />
          <InstallationFilterBar
            search={search}
            placeholder={
              list.isPartial ? "Search a tenant's address or id" : 'Search tenant, scope or error'
            }
          />
          <InstallationResults list={list} />
        </ServerClock>
      ) : null}
    </>
  );
}
