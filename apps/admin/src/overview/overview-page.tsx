import type { SeriesSpan } from '@dowel/admin-api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { awaitsFirstAnswer } from '../api/awaits-first-answer.ts';
import { alertsQuery, fleetQuery, seriesQuery } from '../api/queries.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { BrokenLongest } from './broken-longest.tsx';
import { CausesCard } from './causes-card.tsx';
import { Figures } from './figures.tsx';
import { FleetCharts } from './fleet-charts.tsx';
import { OpenAlertsLine } from './open-alerts-line.tsx';
import classes from './overview-page.module.css';
import { OverviewSkeleton } from './overview-skeleton.tsx';
import { SpanChoice } from './span-choice.tsx';
import { Verdict } from './verdict.tsx';

/** The health of the fleet: how many are broken, why, and which have been broken longest. */
export function OverviewPage() {
  const { t } = useTranslation();
  usePageTitle(t('overview.title'));
  const api = useApi();
  const fleet = useQuery(fleetQuery(api));
  const [span, setSpan] = useState<SeriesSpan>('24h');
  const series = useQuery(seriesQuery(api, span));
  const alerts = useQuery(alertsQuery(api));
  // Open alerts are a line above the rest: if it came later, everything would move.
  const isPending = fleet.isPending || awaitsFirstAnswer(alerts);

  return (
    <div className={classes.page} aria-busy={isPending}>
      <div className={classes.pageHead}>
        <h1 className="page-title">{t('overview.title')}</h1>
        <SpanChoice span={span} onChange={setSpan} />
      </div>
      {fleet.error ? (
        <QueryFailure
          title={t('overview.failed')}
          error={fleet.error}
          onRetry={() => void fleet.refetch()}
        />
      ) : null}
      {isPending ? <OverviewSkeleton /> : null}
      {fleet.data && !isPending ? (
        <>
          <OpenAlertsLine />
          <Verdict fleet={fleet.data} />
          <Figures fleet={fleet.data} series={series.data} />
          <FleetCharts series={series}>
            <CausesCard causes={fleet.data.causes} />
          </FleetCharts>
          <BrokenLongest count={fleet.data.groups.broken} />
        </>
      ) : null}
    </div>
  );
}
