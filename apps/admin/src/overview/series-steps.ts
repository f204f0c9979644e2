/** The widths and names of the steps in charts and tables. */
import type { FleetSeries, SeriesSpan } from '@dowel/admin-api';
import type { ChartTable } from '../charts/chart-card.tsx';
import type { TimeSpan } from '../charts/time-axis.ts';
import { isKnown, type Values, widen } from '../charts/values.ts';

const hourMs = 3_600_000;
/** Steps in a bar: fewer than a hundred bars. */
export const stepsPerBar: Readonly<Record<SeriesSpan, number>> = { '24h': 3, '7d': 2, '30d': 3 };
/** Steps in a row of a table: at most thirty rows. */
const stepsPerRow: Readonly<Record<SeriesSpan, number>> = { '24h': 12, '7d': 6, '30d': 8 };

export function spanOf({ from, stepMs, groups }: FleetSeries): TimeSpan {
  return { from, to: from + groups.broken.length * stepMs };
}

export interface TableColumn {
  name: string;
  values: Values;
  format: (value: number) => string;
}

/** The newest first. */
export function tableOf(
  { span, from, stepMs }: FleetSeries,
  columns: readonly TableColumn[],
  words: { moment: (at: number) => string; unknown: string },
): ChartTable {
  const size = stepsPerRow[span];
  const cells = columns.map(({ values, format }) =>
    widen(values, size).map((value) => (isKnown(value) ? format(value) : words.unknown)),
  );
  const rows = (cells[0] ?? []).map((_, index) => ({
    time: words.moment(from + index * size * stepMs),
    cells: cells.map((column) => column[index] ?? words.unknown),
  }));
  return { columns: columns.map(({ name }) => name), rows: rows.toReversed() };
}

/** The count an hour ago; undefined when it is unknown, or the steps are too wide. */
export function anHourAgo({ stepMs }: FleetSeries, values: Values): number | undefined {
  const steps = hourMs / stepMs;
  return steps < 2 ? undefined : (values.at(-1 - steps) ?? undefined);
}
