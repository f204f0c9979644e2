/** A list that forgets its oldest entries, so that a long run does not fill the memory. */
export interface BoundedLog<Entry extends object> {
  add(entry: Entry): Entry & { id: number };
  newestFirst(): (Entry & { id: number })[];
}

export function createBoundedLog<Entry extends object>(limit = 200): BoundedLog<Entry> {
  const entries: (Entry & { id: number })[] = [];
  let lastId = 0;
  return {
    add(entry) {
      lastId += 1;
      const numbered = { ...entry, id: lastId };
      entries.push(numbered);
      if (entries.length > limit) entries.shift();
      return numbered;
    },
    newestFirst: () => entries.toReversed(),
  };
}
