import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { fleetQuery } from '../api/queries.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { BrokenLongest } from './broken-longest.tsx';
import { CausesCard } from './causes-card.tsx';
import { Figures } from './figures.tsx';
import classes from './overview-page.module.css';
import { Verdict } from './verdict.tsx';

/** Is the fleet healthy; if not, how many, why, and which have waited longest. */
export function OverviewPage() {
  const { t } = useTranslation();
  usePageTitle(t('overview.title'));
  const fleet = useQuery(fleetQuery(useApi()));

  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('overview.title')}</h1>
      {fleet.error ? (
        <QueryFailure
          title={t('overview.failed')}
          error={fleet.error}
          onRetry={() => void fleet.refetch()}
        />
      ) : null}
      {fleet.data ? (
        <>
          <Verdict fleet={fleet.data} />
          <Figures fleet={fleet.data} />
          <div className={classes.columns}>
            <BrokenLongest count={fleet.data.groups.broken} />
            <CausesCard causes={fleet.data.causes} />
          </div>
        </>
      ) : null}
    </div>
  );
}
