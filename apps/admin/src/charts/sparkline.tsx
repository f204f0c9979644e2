import { boxHeight, linePath } from './paths.ts';
import classes from './plot.module.css';
import { sparkScale } from './scale.ts';
import type { Values } from './values.ts';

/** A line without numbers, in the colour of the `data-tone` around it. Texts beside it give the same values. */
export function Sparkline({ values }: { values: Values }) {
  return (
    <svg
      className={classes.spark}
      viewBox={`0 0 ${Math.max(1, values.length)} ${boxHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className={classes.stroke} d={linePath(values, sparkScale(values))} />
    </svg>
  );
}
