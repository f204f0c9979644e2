import type { InstallationDetail } from '@dowel/schema';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import ArrowLeft from 'lucide-react/icons/arrow-left';
import { useApi } from '../api/api-context.tsx';
import { hasStatus } from '../api/api-failure.ts';
import { installationQuery } from '../api/queries.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { tenantName } from '../shared/tenant-name.ts';
import { ServerClock } from '../shared/ticker.tsx';
import { AccessTokenCard } from './access-token-card.tsx';
import { IdentityCard } from './identity-card.tsx';
import { InstallationHeading } from './installation-heading.tsx';
import classes from './installation-page.module.css';
import type { InstallationSearch } from './installation-search.ts';
import { InstallationSkeleton } from './installation-skeleton.tsx';
import { InstallationTabs } from './installation-tabs.tsx';
import { InstancesCard } from './instances-card.tsx';

export interface InstallationPageProps {
  id: string;
  search: InstallationSearch;
}

export function InstallationPage({ id, search }: InstallationPageProps) {
  const detail = useQuery(installationQuery(useApi(), id));
  usePageTitle(detail.data ? tenantName(detail.data.installation) : 'Installation');

  return (
    <>
      <Link to="/installations" className={classes.back}>
        <ArrowLeft size={16} aria-hidden="true" />
        All installations
      </Link>
      {detail.error ? (
        <>
          {detail.data ? null : <h1 className={classes.title}>Installation</h1>}
          <QueryFailure
            title={
              hasStatus(detail.error, 404)
                ? 'There is no such installation'
                : 'The installation could not be loaded'
            }
            error={detail.error}
            onRetry={() => void detail.refetch()}
          />
        </>
      ) : null}
      {detail.isPending ? <InstallationSkeleton /> : null}
      {detail.data ? (
        <ServerClock serverNow={detail.data.now} receivedAt={detail.dataUpdatedAt}>
          <Installation detail={detail.data} search={search} />
        </ServerClock>
      ) : null}
    </>
  );
}

function Installation(props: { detail: InstallationDetail; search: InstallationSearch }) {
  const { installation, requestedScopes, instanceIds, events, tokenOperations } = props.detail;
  return (
    <>
      <InstallationHeading installation={installation} />
      <div className={classes.cards}>
        <AccessTokenCard installation={installation} requestedScopes={requestedScopes} />
        <IdentityCard installation={installation} />
        <InstancesCard
          instanceIds={instanceIds}
          isUninstalled={installation.status === 'uninstalled'}
        />
      </div>
      <InstallationTabs
        installationId={installation.id}
        tab={props.search.tab}
        events={events}
        tokenOperations={tokenOperations}
      />
    </>
  );
}
