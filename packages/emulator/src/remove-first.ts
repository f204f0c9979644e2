/** Removes in place, because others hold the list too. Returns whether there was one to remove. */
export function removeFirst<Entry>(list: Entry[], matches: (entry: Entry) => boolean): boolean {
  const index = list.findIndex(matches);
  if (index < 0) return false;
  list.splice(index, 1);
  return true;
}
