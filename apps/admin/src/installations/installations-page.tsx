import type { InstallationList } from '@dowel/schema';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api/api-context.tsx';
import { installationsQuery } from '../api/queries.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ServerClock } from '../shared/ticker.tsx';
import { AttentionAlert } from './attention-alert.tsx';
import { EmptyInstallations } from './empty-installations.tsx';
import { InstallationFigures } from './installation-figures.tsx';
import { InstallationFilterBar } from './installation-filter-bar.tsx';
import { InstallationTable } from './installation-table.tsx';
import classes from './installations-page.module.css';
import type { InstallationsSearch } from './installations-search.ts';
import { InstallationsSkeleton } from './installations-skeleton.tsx';
import { selectInstallations } from './select-installations.ts';

export function InstallationsPage({ search }: { search: InstallationsSearch }) {
  usePageTitle('Installations');
  const list = useQuery(installationsQuery(useApi()));

  return (
    <>
      <h1 className={classes.title}>Installations</h1>
      {list.error ? (
        <QueryFailure
          title="The installations could not be loaded"
          error={list.error}
          onRetry={() => void list.refetch()}
        />
      ) : null}
      {list.isPending ? <InstallationsSkeleton /> : null}
      {list.data ? (
        <ServerClock serverNow={list.data.now} receivedAt={list.dataUpdatedAt}>
          <Installations list={list.data} search={search} />
        </ServerClock>
      ) : null}
    </>
  );
}

interface InstallationsProps {
  list: InstallationList;
  search: InstallationsSearch;
}

function Installations({ list: { installations }, search }: InstallationsProps) {
  if (installations.length === 0) return <EmptyInstallations />;
  return (
    <>
      <InstallationFigures installations={installations} />
      <AttentionAlert installations={installations} />
      <InstallationFilterBar search={search} />
      <InstallationTable
        key={`${search.filter} ${search.q}`}
        installations={selectInstallations(installations, search)}
      />
    </>
  );
}
