import type { FleetSeries } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { ChartCard } from '../charts/chart-card.tsx';
import { areaPath, linePath } from '../charts/paths.ts';
import plot from '../charts/plot.module.css';
import { type EndLabel, Plot } from '../charts/plot.tsx';
import { countScale } from '../charts/scale.ts';
import { boundsOf, combine, findRise, newestOf, type Values } from '../charts/values.ts';
import { type Formats, useFormats } from '../i18n/formats.ts';
import { nameReasons } from '../states/cause.ts';
import { useBrokenLimit } from './alert-limit.ts';
import { spanOf, tableOf } from './series-steps.ts';

const height = 212;

/** The number of broken installations: the cause that is most frequent now, on top of all others. */
export function AccessChart({ series }: { series: FleetSeries }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { broken } = series.groups;
  const top = useTopCause(series);
  const others = top ? combine(broken, top.values, (all, n) => Math.max(0, all - n)) : broken;
  const scale = countScale(broken);
  const over = t(`charts.over.${series.span}`);
  const count = (value: number) => formats.count(Math.round(value));
  const columns = [
    { name: t('charts.access'), values: broken, format: count },
    ...(top ? [{ name: top.name, values: top.values, format: count }] : []),
    ...(top ? [{ name: t('charts.others'), values: others, format: count }] : []),
  ];
  return (
    <ChartCard
      title={t('charts.access')}
      note={t('charts.accessNote', { over })}
      table={tableOf(series, columns, { moment: formats.moment, unknown: t('charts.unknown') })}
    >
      <Plot
        name={t('charts.accessName', { over, ...describe(series, formats) })}
        span={spanOf(series)}
        steps={broken.length}
        scale={scale}
        format={formats.count}
        height={height}
        endLabels={useEndLabels(broken, others, top)}
        mark={useMark(series)}
        threshold={useBrokenLimit(series)}
      >
        <g data-tone="bad">
          <path className={plot.weak} d={areaPath(others, scale)} />
          {top ? <path className={plot.strong} d={areaPath(broken, scale, others)} /> : null}
          <path className={plot.stroke} d={linePath(broken, scale)} />
        </g>
      </Plot>
    </ChartCard>
  );
}

function describe({ groups, broken }: FleetSeries, formats: Formats) {
  return {
    now: formats.count(Math.round(newestOf(groups.broken) ?? 0)),
    min: formats.count(boundsOf(broken.min)?.min ?? 0),
    max: formats.count(boundsOf(broken.max)?.max ?? 0),
  };
}

interface TopCause {
  name: string;
  values: Values;
}

/** Undefined with fewer than two causes. */
function useTopCause(series: FleetSeries): TopCause | undefined {
  const nameOf = useCauseNames(series);
  const [first] = series.causes.toSorted(
    (one, other) => (newestOf(other.values) ?? 0) - (newestOf(one.values) ?? 0),
  );
  if (!first || (newestOf(first.values) ?? 0) === 0) return undefined;
  return { name: nameOf(first.cause), values: first.values };
}

/** A sample may name a state that begins with the time instead of a reason. */
function useCauseNames({ causes }: FleetSeries): (cause: string) => string {
  const { t } = useTranslation();
  const reasons = nameReasons(
    t,
    causes.map(({ cause }) => cause),
  );
  const states: Record<string, string> = {
    unreachable: t('state.unreachable.badge'),
    no_tokens: t('state.no_tokens.badge'),
    other: t('cause.other'),
  };
  return (cause) => states[cause] ?? reasons.get(cause) ?? cause;
}

function useEndLabels(broken: Values, others: Values, top: TopCause | undefined): EndLabel[] {
  const { t } = useTranslation();
  const formats = useFormats();
  const all = Math.round(newestOf(broken) ?? 0);
  if (!top) return [{ text: formats.count(all), value: all, tone: 'bad' }];
  const ofOthers = Math.round(newestOf(others) ?? 0);
  const ofTop = { text: `${top.name} ${formats.count(all - ofOthers)}`, value: all };
  if (ofOthers === 0) return [{ ...ofTop, tone: 'bad' }];
  const text = `${t('charts.others')} ${formats.count(ofOthers)}`;
  return [
    { ...ofTop, tone: 'bad' },
    { text, value: ofOthers, tone: 'bad', isSecond: true },
  ];
}

/** The largest rise, with the cause that rose most. */
function useMark(series: FleetSeries): { at: number; text: string } | undefined {
  const { t } = useTranslation();
  const formats = useFormats();
  const nameOf = useCauseNames(series);
  const { from, stepMs, span } = series;
  const rise = findRise(series.groups.broken);
  if (!rise) return undefined;
  const at = from + rise.index * stepMs;
  const [cause] = series.causes
    .map(({ cause: name, values }) => ({ name, by: risenBy(values, rise.index) }))
    .toSorted((one, other) => other.by - one.by);
  const name = cause && cause.by > 0 ? nameOf(cause.name) : t('charts.causes');
  const time = span === '24h' ? formats.clock(at) : formats.moment(at);
  return {
    at,
    text: t('charts.rise', { time, cause: name, number: formats.signed(Math.round(rise.by)) }),
  };
}

function risenBy(values: Values, index: number): number {
  return Math.max(values[index] ?? 0, values[index + 1] ?? 0) - (values[index - 1] ?? 0);
}
