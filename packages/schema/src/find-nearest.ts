/** Finds the name that a misspelt one was meant to be. */

/** Longer names are cut, because the time grows with the product of both lengths. */
const maxLength = 100;

/**
 * The entry of a list that needs the fewest changes to become `name`, the first of several, and how many letters must be
 * inserted, removed, changed or swapped with their neighbour. Case does not count. Without entries, the distance is
 * Infinity.
 */
export function findNearest(
  name: string,
  known: readonly string[],
): { nearest: string; distance: number } {
  const lower = name.toLowerCase().slice(0, maxLength);
  return known
    .map((nearest) => ({ nearest, distance: distanceOf(lower, nearest.toLowerCase()) }))
    .reduce((best, each) => (each.distance < best.distance ? each : best), {
      nearest: '',
      distance: Number.POSITIVE_INFINITY,
    });
}

/**
 * The entry that `name` was probably meant to be: at most a third of its letters differ. Undefined: none resembles it.
 *
 * @example
 * const meant = findMeant('lifecyle', ['context', 'lifecycle']); // 'lifecycle'
 */
export function findMeant(name: string, known: readonly string[]): string | undefined {
  const { nearest, distance } = findNearest(name, known);
  return distance <= nearest.length / 3 ? nearest : undefined;
}

function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
