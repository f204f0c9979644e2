import type { FleetSeries } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { ChartCard } from '../charts/chart-card.tsx';
import { barsPath, linePath } from '../charts/paths.ts';
import plot from '../charts/plot.module.css';
import { Plot } from '../charts/plot.tsx';
import { countScale } from '../charts/scale.ts';
import { boundsOf, combine, isKnown, newestOf, type Values } from '../charts/values.ts';
import { useFormats } from '../i18n/formats.ts';
import type { Role } from '../role-colors.ts';
import chips from '../shared/chips.module.css';
import classes from './charts.module.css';
import { frameOf, useTable } from './small-chart.ts';

interface ChartProps {
  series: FleetSeries;
}

/** Calls to the platform: how many succeed and fail, and how long they take. */
export function CallCharts({ series }: ChartProps) {
  return (
    <>
      <OutcomeChart series={series} />
      <TimeChart series={series} />
    </>
  );
}

function OutcomeChart({ series }: ChartProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { callsSucceeded: succeeded, callsFailed: failed, callsRefused: refused } = series.rates;
  const add = (one: number, other: number) => one + other;
  const all = combine(combine(succeeded, failed, add), refused, add);
  const scale = countScale(all);
  const columns = [
    { name: t('charts.callsSucceeded'), values: succeeded, format: formats.rate },
    { name: t('charts.callsFailed'), values: failed, format: formats.rate },
    { name: t('charts.callsRefused'), values: refused, format: formats.rate },
  ];
  const table = useTable(series, columns);
  const highest = (values: Values) => formats.rate(boundsOf(values)?.max ?? 0);
  const words = { all: highest(all), failed: highest(failed) };
  return (
    <ChartCard title={t('charts.calls')} figure={formats.rate(newestOf(all) ?? 0)} table={table}>
      <Plot
        {...frameOf(series)}
        name={t('charts.callsName', { over: t(`charts.over.${series.span}`), ...words })}
        scale={scale}
        format={formats.count}
      >
        <path data-tone="bad" className={plot.bar} d={barsPath(failed, scale)} />
        <path data-tone="ok" className={plot.stroke} d={linePath(all, scale)} />
      </Plot>
      <div className={classes.names}>
        <LineName tone="ok" name={t('charts.allCalls')} value={formats.rate(newestOf(all) ?? 0)} />
        <LineName
          tone="bad"
          name={t('charts.callsFailed')}
          value={formats.rate(newestOf(failed) ?? 0)}
        />
      </div>
    </ChartCard>
  );
}

function TimeChart({ series }: ChartProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { p50, p95 } = series.callMs;
  const scale = countScale(p95);
  const title = t('charts.callTime');
  const columns = [
    { name: t('charts.p50'), values: p50, format: formats.duration },
    { name: t('charts.p95'), values: p95, format: formats.duration },
  ];
  const table = useTable(series, columns);
  if (!p95.some(isKnown)) {
    return (
      <ChartCard title={title}>
        <p className={classes.nothing}>{t('charts.noCall')}</p>
      </ChartCard>
    );
  }
  const newest = {
    p50: formats.duration(newestOf(p50) ?? 0),
    p95: formats.duration(newestOf(p95) ?? 0),
  };
  return (
    <ChartCard title={title} figure={newest.p95} table={table}>
      <Plot
        {...frameOf(series)}
        name={t('charts.callTimeName', { over: t(`charts.over.${series.span}`), ...newest })}
        scale={scale}
        format={formats.duration}
      >
        <path data-tone="ok" className={plot.stroke} d={linePath(p50, scale)} />
        <path data-tone="risk" className={plot.stroke} d={linePath(p95, scale)} />
      </Plot>
      <div className={classes.names}>
        <LineName tone="ok" name={t('charts.p50')} value={newest.p50} />
        <LineName tone="risk" name={t('charts.p95')} value={newest.p95} />
      </div>
    </ChartCard>
  );
}

function LineName({ tone, name, value }: { tone: Role; name: string; value: string }) {
  return (
    <span className={classes.name}>
      <span className={chips.dot} data-tone={tone} />
      {name} <strong>{value}</strong>
    </span>
  );
}
