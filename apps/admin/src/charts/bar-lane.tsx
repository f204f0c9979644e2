import { useFormats } from '../i18n/formats.ts';
import classes from './bar-lane.module.css';

export interface BarLaneProps {
  /** A sentence that describes the bars. */
  name: string;
  counts: readonly number[];
  /** The time and the count of one bar, on hover. */
  describe: (index: number) => string;
}

/** Space above the highest bar for its count. */
const labelHeight = 16;
const barsHeight = 32;
const height = labelHeight + barsHeight;
/** The width of a bar, as a share of its step. */
const barShare = 0.84;

/** Bars of one series in the colour of the tone around it. Each lane has its own height, and its highest bar is labelled. */
export function BarLane({ name, counts, describe }: BarLaneProps) {
  const formats = useFormats();
  const highest = Math.max(...counts);
  const peak = counts.indexOf(highest);
  const place = 100 / counts.length;
  return (
    <svg className={classes.lane} role="img" aria-label={name} height={height}>
      {counts.map((count, index) =>
        count === 0 ? null : (
          <rect
            key={index}
            className={classes.bar}
            x={`${(index + (1 - barShare) / 2) * place}%`}
            width={`${barShare * place}%`}
            y={height - heightOf(count, highest)}
            height={heightOf(count, highest)}
            rx={1}
          >
            <title>{describe(index)}</title>
          </rect>
        ),
      )}
      {highest === 0 ? null : (
        <text
          className={classes.label}
          x={`${(peak + 0.5) * place}%`}
          y={labelHeight - 5}
          textAnchor={anchorOf((peak + 0.5) / counts.length)}
        >
          {formats.count(highest)}
        </text>
      )}
    </svg>
  );
}

/** A single refusal beside thousands stays visible. */
function heightOf(count: number, highest: number): number {
  return Math.max(2, Math.round((count / highest) * barsHeight));
}

/** Keeps a label at an edge inside the chart. */
function anchorOf(share: number): 'start' | 'middle' | 'end' {
  if (share < 0.03) return 'start';
  return share > 0.97 ? 'end' : 'middle';
}
