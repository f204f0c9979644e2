/** The vertical axis of a chart. */
import { boundsOf, type Values } from './values.ts';

export interface Scale {
  min: number;
  max: number;
  /** Values of the horizontal lines, the lowest first; at most four. */
  lines: readonly number[];
}

const roundSteps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const lowestShares = [0.99, 0.95, 0.9, 0.5, 0];
/** The height of a sparkline is at least this share of its value. */
const sparkShare = 0.1;

/** A scale from 0 to a round number. */
export function countScale(...series: readonly Values[]): Scale {
  const highest = Math.max(0, ...series.map((values) => boundsOf(values)?.max ?? 0));
  const step = roundStep(highest / 3);
  const count = Math.max(1, Math.ceil(highest / step));
  const lines = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { min: 0, max: count * step, lines };
}

/** Rounds up to a round whole number. */
function roundStep(atLeast: number): number {
  if (atLeast <= 1) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(atLeast));
  const steps = roundSteps.map((step) => step * magnitude).filter(Number.isInteger);
  return steps.find((step) => step >= atLeast) ?? 10 * magnitude;
}

/** A scale for shares near 1. It may start above 0; its lines have numbers. */
export function shareScale(values: Values): Scale {
  const lowest = boundsOf(values)?.min ?? 1;
  const min = lowestShares.find((share) => share <= lowest) ?? 0;
  return { min, max: 1, lines: [min, (min + 1) / 2, 1] };
}

/** A scale that spans at least a tenth of the highest value, so small changes look small. */
export function sparkScale(values: Values): Scale {
  const { min, max } = boundsOf(values) ?? { min: 0, max: 0 };
  if (max === 0) return { min: 0, max: 1, lines: [] };
  const missing = Math.max(0, max * sparkShare - (max - min)) / 2;
  return { min: min - missing, max: max + missing, lines: [] };
}

/** How far up a value is: 0 at the bottom, 1 at the top. */
export function heightOf({ min, max }: Scale, value: number): number {
  return Math.min(1, Math.max(0, (value - min) / (max - min)));
}
