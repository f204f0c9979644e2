import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import ArrowLeft from 'lucide-react/icons/arrow-left';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { hasStatus } from '../api/api-failure.ts';
import { useFleetRows } from '../api/fleet-rows.ts';
import { installationQuery } from '../api/queries.ts';
import { exactly } from '../shared/exactly.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ServerClock } from '../shared/ticker.tsx';
import { useKeys } from '../shared/use-keys.ts';
import { InstallationDetails } from './installation-details.tsx';
import classes from './installation-page.module.css';
import { InstallationSkeleton } from './installation-skeleton.tsx';

export function InstallationPage() {
  const { id } = useParams({ from: '/operator/installations/$id' });
  const { t } = useTranslation();
  const navigate = useNavigate();
  const detail = useQuery(installationQuery(useApi(), id));
  usePageTitle(
    (detail.data?.installation.name || detail.data?.installation.host) ?? t('detail.title'),
  );
  const { listed, listedAt } = useFleetRows();
  useKeys({
    u: () => void navigate({ href: listedAt }),
    '[': () => goTo(listed[listed.indexOf(id) - 1]),
    ']': () => goTo(listed[listed.indexOf(id) + 1]),
  });

  /** Does nothing at the ends of the list. */
  function goTo(neighbour: string | undefined): void {
    if (neighbour === undefined || !listed.includes(id)) return;
    void navigate({ to: '/installations/$id', params: { id: neighbour } });
  }

  return (
    <>
      <Link to="/installations" href={listedAt} className={classes.back} activeOptions={exactly}>
        <ArrowLeft size={16} aria-hidden="true" />
        {t('nav.installations')}
      </Link>
      {detail.error ? (
        <>
          {detail.data ? null : <h1 className="page-title">{t('detail.title')}</h1>}
          <QueryFailure
            title={hasStatus(detail.error, 404) ? t('detail.gone') : t('detail.failed')}
            error={detail.error}
            onRetry={() => void detail.refetch()}
          >
            {hasStatus(detail.error, 404) ? (
              <Link to="/installations" search={{ q: id }}>
                {t('detail.searchIt', { id })}
              </Link>
            ) : null}
          </QueryFailure>
        </>
      ) : null}
      {detail.isPending ? <InstallationSkeleton /> : null}
      {detail.data ? (
        <ServerClock time={detail.data}>
          <InstallationDetails key={id} detail={detail.data} />
        </ServerClock>
      ) : null}
    </>
  );
}
