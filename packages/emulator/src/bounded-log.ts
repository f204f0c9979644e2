/** A list that drops its oldest entries, so that a long run does not fill the memory. */
type Numbered<Entry> = Entry & { id: number };

export interface BoundedLog<Entry extends object> {
  add(entry: Entry): Numbered<Entry>;
  newestFirst(): Numbered<Entry>[];
}

/** Keeps its entries in `entries`, oldest first, and continues with the entries that are there. */
export function createBoundedLog<Entry extends object>(
  entries: Numbered<Entry>[],
  limit = 200,
): BoundedLog<Entry> {
  return {
    add(entry) {
      const numbered = { ...entry, id: (entries.at(-1)?.id ?? 0) + 1 };
      entries.push(numbered);
      if (entries.length > limit) entries.shift();
      return numbered;
    },
    newestFirst: () => entries.toReversed(),
  };
}
