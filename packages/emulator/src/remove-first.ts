/** Removes in place, because other code has the same list. Returns whether an entry was removed. */
export function removeFirst<Entry>(list: Entry[], matches: (entry: Entry) => boolean): boolean {
  const index = list.findIndex(matches);
  if (index < 0) return false;
  list.splice(index, 1);
  return true;
}
