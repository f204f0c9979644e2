/** The figures of the store's benchmark as markdown tables. */
import { median } from './rounds.ts';
import type { Latencies, Operation } from './store-worker.ts';

/** The measurements of one store. */
export interface StoreFigures {
  kind: string;
  size: number;
  /** The size of the database. */
  bytes: number;
  /** Memory of the process after all rounds, in bytes. */
  memory: number;
  /** The latencies of each round. In a round, all sizes ran one after the other. */
  rounds: Latencies[];
}

/** Figures of one kind of database, the smallest size first. */
export type Series = StoreFigures[];

const mebibyte = 2 ** 20;

const inWords = (count: number) => count.toLocaleString('en');
const operationsOf = ([first]: Series) => Object.keys(first?.rounds[0] ?? {}) as Operation[];

/** The ratio to the smallest size's p50 of the same round, so a slow minute of the machine affects both. */
function ratioOf(
  { rounds }: StoreFigures,
  base: StoreFigures,
  [operation, share]: [Operation, 'p50' | 'p99'],
): number {
  const ratios = rounds.map(
    (latencies, round) => latencies[operation][share] / (base.rounds[round]?.[operation].p50 ?? 0),
  );
  return median(ratios);
}

export function describeStores(all: Series[]): string {
  return all.map(describeSeries).join('\n');
}

function describeSeries(series: Series): string {
  const [base] = series;
  if (!base) return '';
  const heads = series.flatMap(({ size }) => [`${inWords(size)}: p50`, 'p99']);
  const rows = operationsOf(series).map((operation) => {
    const milliseconds = median(base.rounds.map((latencies) => latencies[operation].p50));
    const ratios = series.flatMap((figures) =>
      (['p50', 'p99'] as const).map((share) => ratioOf(figures, base, [operation, share])),
    );
    return [
      operation,
      `1 (${milliseconds.toPrecision(2)} ms)`,
      ...ratios.slice(1).map((ratio) => inWords(Number(ratio.toPrecision(2)))),
    ];
  });
  const whole = (name: string, value: (figures: StoreFigures) => string) => [
    name,
    ...series.flatMap((figures) => [value(figures), '']),
  ];
  const table = [
    [base.kind, ...heads],
    ['', ...heads].map(() => '---'),
    ...rows,
    whole('database, bytes per installation', ({ bytes, size }) =>
      inWords(Math.round(bytes / size)),
    ),
    whole('memory of the process', ({ memory }) => `${Math.round(memory / mebibyte)} MiB`),
  ];
  return `${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
