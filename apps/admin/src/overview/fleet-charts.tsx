import type { FleetSeries } from '@dowel/admin-api';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isKnown } from '../charts/values.ts';
import { useFormats } from '../i18n/formats.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { AccessChart } from './access-chart.tsx';
import { CallCharts } from './call-charts.tsx';
import classes from './charts.module.css';
import page from './overview-page.module.css';
import { RateCharts } from './rate-charts.tsx';
import { RatesRoom } from './rates-room.tsx';

export interface FleetChartsProps {
  series: UseQueryResult<FleetSeries>;
  /** Shown beside the first chart. */
  children: ReactNode;
}

/** The fleet over time. It is loaded separately, so the rest of the page does not wait for it. */
export function FleetCharts({ series, children }: FleetChartsProps) {
  const { data, error } = series;
  const hasValues = data?.groups.broken.some(isKnown) ?? false;
  return (
    <>
      {data && error ? <Failure series={series} /> : null}
      <div className={page.columns}>
        {data && hasValues ? <AccessChart series={data} /> : <Waiting series={series} />}
        {children}
      </div>
      {data && hasValues ? (
        <div className={page.rates}>
          <CallCharts series={data} />
          <RateCharts series={data} />
          <CountingSince series={data} />
        </div>
      ) : null}
      {data || error ? null : <RatesRoom />}
    </>
  );
}

type SeriesProps = Pick<FleetChartsProps, 'series'>;

/** Charts that were loaded before stay below it: their time axis ends earlier. */
function Failure({ series: { error, refetch } }: SeriesProps) {
  const { t } = useTranslation();
  const retry = () => void refetch();
  return <QueryFailure title={t('charts.failed')} error={error} onRetry={retry} />;
}

function Waiting({ series }: SeriesProps) {
  const { t } = useTranslation();
  const { data, error } = series;
  if (error && !data) return <Failure series={series} />;
  return (
    <section
      className={`card ${classes.room} ${classes.message}`}
      aria-label={t('charts.access')}
      aria-busy={data === undefined}
    >
      {data ? <p>{t('charts.none')}</p> : <p className={classes.late}>{t('charts.loading')}</p>}
    </section>
  );
}

/** Explains why a chart is empty on its left side. */
function CountingSince({ series: { countingSince, from } }: { series: FleetSeries }) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  if (countingSince === null || countingSince <= from) return null;
  return <p className={classes.since}>{t('charts.since', { time: moment(countingSince) })}</p>;
}
