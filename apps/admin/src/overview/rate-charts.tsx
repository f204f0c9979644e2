import type { FleetSeries } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { ChartCard } from '../charts/chart-card.tsx';
import { barsPath, linePath } from '../charts/paths.ts';
import plot from '../charts/plot.module.css';
import { Plot } from '../charts/plot.tsx';
import { countScale, shareScale } from '../charts/scale.ts';
import { boundsOf, combine, newestOf, type Values, widen } from '../charts/values.ts';
import { type Formats, useFormats } from '../i18n/formats.ts';
import chips from '../shared/chips.module.css';
import { useRefusedLimit } from './alert-limit.ts';
import classes from './charts.module.css';
import { stepsPerBar } from './series-steps.ts';
import { frameOf, useTable } from './small-chart.ts';

/** Refreshes and refusals a minute, on the same time axis. */
export function RateCharts({ series }: { series: FleetSeries }) {
  return (
    <>
      <SuccessChart series={series} />
      <RefreshChart series={series} />
      <AwayChart series={series} />
    </>
  );
}

function SuccessChart({ series }: { series: FleetSeries }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { refreshed, refreshFailed } = series.rates;
  const shares = combine(refreshed, refreshFailed, (good, bad) =>
    good + bad === 0 ? null : good / (good + bad),
  );
  const scale = shareScale(shares);
  const good = sum(refreshed);
  const all = good + sum(refreshFailed);
  const share = all === 0 ? undefined : formats.finePercent(good / all);
  const title = t('charts.success');
  const columns = [{ name: title, values: shares, format: formats.finePercent }];
  const table = useTable(series, columns);
  if (share === undefined) {
    return (
      <ChartCard title={title}>
        <p className={classes.nothing}>{t('charts.noRefresh')}</p>
      </ChartCard>
    );
  }
  return (
    <ChartCard title={title} figure={share} table={table}>
      <Plot
        {...frameOf(series)}
        name={t('charts.successName', { over: t(`charts.over.${series.span}`), share })}
        scale={scale}
        format={formats.finePercent}
      >
        <path data-tone="ok" className={plot.stroke} d={linePath(shares, scale)} />
      </Plot>
    </ChartCard>
  );
}

function RefreshChart({ series }: { series: FleetSeries }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { refreshed } = series.rates;
  const scale = countScale(refreshed);
  const title = t('charts.refreshes');
  const table = useTable(series, [{ name: title, values: refreshed, format: formats.rate }]);
  const words = describe(refreshed, formats);
  return (
    <ChartCard title={title} figure={words.now} table={table}>
      <Plot
        {...frameOf(series)}
        name={t('charts.refreshesName', { over: t(`charts.over.${series.span}`), ...words })}
        scale={scale}
        format={formats.count}
      >
        <path data-tone="ok" className={plot.stroke} d={linePath(refreshed, scale)} />
      </Plot>
    </ChartCard>
  );
}

function AwayChart({ series }: { series: FleetSeries }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const size = stepsPerBar[series.span];
  const refused = widen(series.rates.refused, size);
  const shed = widen(series.rates.shed, size);
  const scale = countScale(combine(refused, shed, (one, other) => one + other));
  const table = useTable(series, [
    { name: t('charts.refused'), values: series.rates.refused, format: formats.rate },
    { name: t('charts.shed'), values: series.rates.shed, format: formats.rate },
    { name: t('charts.events'), values: series.rates.events, format: formats.rate },
  ]);
  const events = formats.rate(newestOf(series.rates.events) ?? 0);
  const words = {
    refused: describe(refused, formats).max,
    shed: describe(shed, formats).max,
  };
  return (
    <ChartCard title={t('charts.away')} table={table}>
      <Plot
        {...frameOf(series)}
        steps={refused.length}
        name={t('charts.awayName', { over: t(`charts.over.${series.span}`), ...words })}
        scale={scale}
        threshold={useRefusedLimit()}
        format={formats.count}
      >
        <path data-tone="risk" className={plot.bar} d={barsPath(refused, scale)} />
        <path data-tone="gone" className={plot.bar} d={barsPath(shed, scale, refused)} />
      </Plot>
      <div className={classes.names}>
        <BarName tone="risk" name={t('charts.refused')} values={series.rates.refused} />
        <BarName tone="gone" name={t('charts.shed')} values={series.rates.shed} />
        <span className={classes.name}>{t('charts.eventCount', { number: events })}</span>
      </div>
    </ChartCard>
  );
}

function BarName({ tone, name, values }: { tone: 'risk' | 'gone'; name: string; values: Values }) {
  const { rate } = useFormats();
  return (
    <span className={classes.name}>
      <span className={chips.dot} data-tone={tone} />
      {name} <strong>{rate(newestOf(values) ?? 0)}</strong>
    </span>
  );
}

function describe(values: Values, formats: Formats) {
  const { min, max } = boundsOf(values) ?? { min: 0, max: 0 };
  return {
    now: formats.rate(newestOf(values) ?? 0),
    min: formats.rate(min),
    max: formats.rate(max),
  };
}

function sum(values: Values): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
