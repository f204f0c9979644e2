/**
 * Series as paths of SVG, in a box that is as wide as there are steps and {@link boxHeight} high. The box is
 * stretched to the chart's size. A step without a value is a gap, and is never bridged.
 */
import { heightOf, type Scale } from './scale.ts';
import { isKnown, type Values } from './values.ts';

export const boxHeight = 100;

interface Point {
  x: number;
  y: number;
}

export function linePath(values: Values, scale: Scale): string {
  return listRuns(values)
    .map((indexes) => draw(pointsOf(indexes, values, scale)))
    .join('');
}

/** @param lower the series below. Default: the bottom. */
export function areaPath(values: Values, scale: Scale, lower?: Values): string {
  return listRuns(values)
    .map((indexes) => {
      const upper = pointsOf(indexes, values, scale);
      const bottom = pointsOf(indexes, lower ?? values.map(() => scale.min), scale);
      return `${draw(upper)}L${bottom.toReversed().map(write).join('L')}Z`;
    })
    .join('');
}

/** One bar per step with a value above 0, on top of the bar of `below`. */
export function barsPath(values: Values, scale: Scale, below?: Values): string {
  return values
    .map((value, index) => {
      if (!isKnown(value) || value <= 0) return '';
      const base = below?.[index] ?? 0;
      const from = write({ x: index + 0.12, y: downOf(scale, base) });
      const to = round(downOf(scale, base + value));
      return `M${from}V${to}H${round(index + 0.88)}V${from.split(' ')[1]}Z`;
    })
    .join('');
}

/** The indexes of each part without a gap. */
function listRuns(values: Values): number[][] {
  const runs: number[][] = [];
  for (const [index, value] of values.entries()) {
    if (!isKnown(value)) continue;
    if (isKnown(values[index - 1])) runs.at(-1)?.push(index);
    else runs.push([index]);
  }
  return runs;
}

/** A value is drawn in the middle of its step. A single value fills its step, so that it is visible. */
function pointsOf(indexes: readonly number[], values: Values, scale: Scale): Point[] {
  const points = indexes.map((index) => ({
    x: index + 0.5,
    y: downOf(scale, values[index] ?? scale.min),
  }));
  const [only, ...others] = points;
  if (!only || others.length > 0) return points;
  return [
    { ...only, x: only.x - 0.5 },
    { ...only, x: only.x + 0.5 },
  ];
}

function downOf(scale: Scale, value: number): number {
  return boxHeight * (1 - heightOf(scale, value));
}

function draw(points: readonly Point[]): string {
  return `M${points.map(write).join('L')}`;
}

function write({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
