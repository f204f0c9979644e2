import type { TokenOperation } from '@dowel/schema';
import { formatDuration, formatInstant } from '../shared/format-time.ts';
import classes from './refresh-history.module.css';

const baseline = 95;
const capHeight = 4;
const capGap = 3;
const tallest = baseline - capHeight - capGap;

export interface DurationBarProps {
  operation: TokenOperation;
  x: number;
  width: number;
  /** Share of the longest duration, 0 to 1. */
  share: number;
}

export function DurationBar({ operation, x, width, share }: DurationBarProps) {
  const barHeight = Math.max(3, share * tallest);
  const top = baseline - barHeight;
  const name = operation.succeeded ? classes.ok : classes.failed;
  return (
    <g>
      <title>
        {`${operation.operation}, ${formatInstant(operation.startedAt)}: ${formatDuration(operation.durationMs)}${operation.succeeded ? '' : ', failed'}`}
      </title>
      <rect className={name} x={x} y={top} width={width} height={barHeight} />
      {operation.succeeded ? null : (
        <rect
          className={name}
          x={x}
          y={top - capGap - capHeight}
          width={width}
          height={capHeight}
        />
      )}
    </g>
  );
}
