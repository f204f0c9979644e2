/** A list that drops its oldest entries, so that a long run does not fill the memory. */
import { removeFirst } from './remove-first.ts';

type Numbered<Entry> = Entry & { id: number };

export interface BoundedLog<Entry extends object> {
  add(entry: Entry): Numbered<Entry>;
  newestFirst(): Numbered<Entry>[];
}

/**
 * Keeps its entries in `entries`, oldest first, and continues with the entries that are there.
 *
 * @param groupOf a group that gets many entries drops its own oldest ones, and none of another group.
 */
export function createBoundedLog<Entry extends object>(
  entries: Numbered<Entry>[],
  groupOf: (entry: Entry) => string,
  limit = 200,
): BoundedLog<Entry> {
  return {
    add(entry) {
      const numbered = { ...entry, id: (entries.at(-1)?.id ?? 0) + 1 };
      entries.push(numbered);
      const group = entries.filter((each) => groupOf(each) === groupOf(entry));
      if (group.length > limit) removeFirst(entries, (each) => each === group[0]);
      return numbered;
    },
    newestFirst: () => entries.toReversed(),
  };
}
