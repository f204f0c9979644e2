import {
  type FleetInstallation,
  findsBeginnings,
  foldSearch,
  groupOf,
  searchedTexts,
  stateOf,
  withoutAccessSince,
} from '@dowel/schema';
import { isOfAge, type ListSearch } from './list-search.ts';

/** Whether a changed row belongs to the list, as the server would decide it; but a row does not name its scopes. */
export function matchesSearch(row: FleetInstallation, search: ListSearch, now: number): boolean {
  if (search.group && groupOf(stateOf(row, now)) !== search.group) return false;
  if (search.cause && row.cause !== search.cause) return false;
  if (search.age && !isOfAge(search.age, withoutAccessSince(row, now), now)) return false;
  const text = foldSearch(search.q ?? '');
  const parts = searchedTexts(row);
  return findsBeginnings(text)
    ? parts.some((part) => part.startsWith(text))
    : [...parts, row.pluginId].some((part) => part.includes(text));
}
