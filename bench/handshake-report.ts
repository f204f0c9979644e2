/** The handshakes' figures as a table and a chart. */
import { barChart } from './chart.ts';
import type { KeyDelivery } from './handshake/setting.ts';

export interface HandshakeFigures {
  contender: string;
  keyDelivery: KeyDelivery;
  /** The first handshake of each page, in milliseconds, without the host's signing. */
  cold: number[];
  /** The other handshakes of each page. */
  warm: number[];
  /** Downloads of the key, for each page. */
  downloads: number;
}

const names: Record<string, string> = {
  floor: 'bare floor',
  dowel: 'Dowel',
  predecessor: '@coyoapp/plugin-adapter 0.3.1',
  penpal: 'penpal 7.0.6 (verifies nobody)',
  comlink: 'comlink 4.4.2 (verifies nobody)',
};

export function describeHandshakes(figures: HandshakeFigures[]): string {
  const rows = figures
    .filter(({ contender, keyDelivery }) => keyDelivery === 'pinned' || verifies(contender))
    .map((figure) => {
      const { contender, keyDelivery, cold, warm, downloads } = figure;
      const floor = figures.find(
        (each) => each.contender === 'floor' && each.keyDelivery === keyDelivery,
      );
      const more = (times: number[], base: number[] = []) => {
        const difference = quantile(times, 0.5) - quantile(base, 0.5);
        const text = `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(2)}`;
        return contender === 'dowel' ? `**${text}**` : text;
      };
      const key = verifies(contender) ? keyDelivery : '–';
      return [
        names[contender],
        key,
        ms(cold, 0.5),
        ms(cold, 0.95),
        more(cold, floor?.cold),
        ms(warm, 0.5),
        ms(warm, 0.95),
        more(warm, floor?.warm),
        keyDelivery === 'jku' ? downloads.toFixed(1) : '–',
      ];
    });
  const table = [
    ['', 'key', 'cold p50', 'p95', '− floor', 'warm p50', 'p95', '− floor', 'downloads a page'],
    Array(9).fill('---'),
    ...rows,
  ];
  return table.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function drawHandshakes(figures: HandshakeFigures[]): string {
  const groupOf = (label: string, keyDelivery: KeyDelivery, which: 'cold' | 'warm') => ({
    label,
    bars: figures
      .filter((each) => each.keyDelivery === keyDelivery && verifies(each.contender))
      .map((each) => ({
        label: names[each.contender] ?? '',
        value: Number(quantile(each[which], 0.5).toFixed(2)),
      })),
  });
  return barChart({
    title: 'A verified handshake, without the host’s signing: p50',
    unit: 'ms',
    groups: [
      groupOf('First on a page, pinned key', 'pinned', 'cold'),
      groupOf('First on a page, key by jku', 'jku', 'cold'),
      groupOf('Later ones, pinned key', 'pinned', 'warm'),
      groupOf('Later ones, key by jku', 'jku', 'warm'),
    ],
  });
}

const verifies = (contender: string) => contender !== 'penpal' && contender !== 'comlink';

const ms = (times: number[], share: number) => quantile(times, share).toFixed(2);

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
