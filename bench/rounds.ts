/** Functions for benchmarks of several rounds. */

/** NaN if there are no values; the higher of two middle ones. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The same items, starting with another one in each round, because the first runs before the machine has warmed up. */
export function rotate<Item>(items: readonly Item[], round: number): Item[] {
  const first = ((round % items.length) + items.length) % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
