import type { TokenOperation } from '@dowel/schema';
import { useId } from 'react';
import { formatDuration } from '../shared/format-time.ts';
import { DurationBar } from './duration-bar.tsx';
import classes from './refresh-history.module.css';

const shownCount = 60;
/** With fewer bars, they do not grow wider. */
const minSlots = 30;
const slotWidth = 12;
const height = 96;

/** Durations of the last token operations, oldest on the left; failed ones carry a cap. */
export function DurationChart({ operations }: { operations: TokenOperation[] }) {
  const titleId = useId();
  const shown = operations.slice(0, shownCount).reverse();
  const longestMs = Math.max(1, ...shown.map(({ durationMs }) => durationMs));
  const failedCount = shown.filter(({ succeeded }) => !succeeded).length;
  const width = Math.max(minSlots, shown.length) * slotWidth;

  return (
    <figure className={classes.chart}>
      <svg
        role="img"
        aria-labelledby={titleId}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
      >
        <title id={titleId}>
          {`Durations of the last ${shown.length} token operations: longest ${formatDuration(longestMs)}, ${failedCount} failed`}
        </title>
        <rect className={classes.base} x="0" y={height - 1} width={width} height="1" />
        {shown.map((operation, index) => (
          <DurationBar
            key={operation.id}
            operation={operation}
            x={index * slotWidth}
            width={slotWidth - 3}
            share={operation.durationMs / longestMs}
          />
        ))}
      </svg>
      <figcaption>
        <span>
          Last {shown.length}, oldest first; longest {formatDuration(longestMs)}
        </span>
        <span className={classes.key} aria-hidden="true">
          <span>
            <svg viewBox="0 0 10 12" aria-hidden="true">
              <rect className={classes.ok} width="10" height="12" />
            </svg>
            succeeded
          </span>
          <span>
            <svg viewBox="0 0 10 12" aria-hidden="true">
              <rect className={classes.failed} width="10" height="3" />
              <rect className={classes.failed} y="5" width="10" height="7" />
            </svg>
            failed
          </span>
        </span>
      </figcaption>
    </figure>
  );
}
