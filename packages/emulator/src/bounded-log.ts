/** A list that drops old entries, so that a long run does not fill the memory. */
import { removeFirst } from './remove-first.ts';

type Numbered<Entry> = Entry & { id: number };

export interface BoundedLog<Entry extends object> {
  add(entry: Entry): Numbered<Entry>;
  newestFirst(): Numbered<Entry>[];
}

/**
 * Keeps its entries in `entries`, oldest first, and continues with the entries that are there.
 *
 * @param groupOf a group that gets many entries drops its own oldest ones, and none of another group. An entry's
 *   group never changes.
 */
export function createBoundedLog<Entry extends object>(
  entries: Numbered<Entry>[],
  groupOf: (entry: Entry) => string,
  limit = 200,
): BoundedLog<Entry> {
  const counts = new Map<string, number>();
  const count = (group: string, change: 1 | -1) => {
    const changed = (counts.get(group) ?? 0) + change;
    counts.set(group, changed);
    return changed;
  };
  for (const entry of entries) count(groupOf(entry), 1);
  return {
    add(entry) {
      const numbered = { ...entry, id: (entries.at(-1)?.id ?? 0) + 1 };
      const group = groupOf(entry);
      entries.push(numbered);
      if (count(group, 1) > limit) {
        removeFirst(entries, (each) => groupOf(each) === group);
        count(group, -1);
      }
      return numbered;
    },
    newestFirst: () => entries.toReversed(),
  };
}
