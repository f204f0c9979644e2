/** Computations on a series for charts. A series has one entry per step; null: not known. */
export type Values = readonly (number | null)[];

export const isKnown = (value: number | null | undefined): value is number => value != null;

export function newestOf(values: Values): number | null {
  return values.findLast(isKnown) ?? null;
}

/** Lowest and highest; undefined when nothing is known. */
export function boundsOf(values: Values): { min: number; max: number } | undefined {
  const known = values.filter(isKnown);
  if (known.length === 0) return undefined;
  const first = known[0] ?? 0;
  return known.reduce(
    ({ min, max }, value) => ({ min: Math.min(min, value), max: Math.max(max, value) }),
    { min: first, max: first },
  );
}

/** Combines two series step by step; a step is known when both are. */
export function combine(
  one: Values,
  other: Values,
  work: (one: number, other: number) => number | null,
): (number | null)[] {
  return one.map((value, index) => {
    const second = other[index];
    return isKnown(value) && isKnown(second) ? work(value, second) : null;
  });
}

/** Joins steps: each new value is the mean of the known ones. The newest new step is complete. */
export function widen(values: Values, size: number): (number | null)[] {
  const offset = values.length % size;
  const count = Math.floor(values.length / size);
  return Array.from({ length: count }, (_, index) => {
    const begin = offset + index * size;
    const known = values.slice(begin, begin + size).filter(isKnown);
    if (known.length === 0) return null;
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}

export interface Rise {
  /** The index of its first step. */
  index: number;
  by: number;
}

/**
 * The largest rise within two steps, because a step's mean smears a jump over two. Undefined: no rise is a
 * quarter of the highest value, or it is less than three.
 */
export function findRise(values: Values): Rise | undefined {
  let largest: Rise = { index: 0, by: 0 };
  for (const [index, value] of values.entries()) {
    const before = values[index - 1];
    if (!isKnown(value) || !isKnown(before)) continue;
    const by = Math.max(value, values[index + 1] ?? 0) - before;
    if (by > largest.by && value > before) largest = { index, by };
  }
  const highest = boundsOf(values)?.max ?? 0;
  return largest.by >= Math.max(3, highest / 4) ? largest : undefined;
}
