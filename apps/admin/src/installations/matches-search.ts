import {
  causeNameOf,
  type FleetInstallation,
  findsBeginnings,
  foldSearch,
  groupOf,
  searchedTexts,
  stateOf,
  withoutAccessSince,
} from '@dowel/admin-api';
import { isOfAge, type ListSearch } from './list-search.ts';

/**
 * Whether a changed row belongs to the list, by the server's rules. The scope is not checked: a row does not contain
 * scopes.
 */
export function matchesSearch(row: FleetInstallation, search: ListSearch, now: number): boolean {
  const state = stateOf(row, now);
  if (search.group && groupOf(state) !== search.group) return false;
  if (search.cause && causeNameOf(row.cause, state) !== search.cause) return false;
  if (search.plugin && row.pluginId !== search.plugin) return false;
  if (search.age && !isOfAge(search.age, withoutAccessSince(row, now), now)) return false;
  const text = foldSearch(search.q ?? '');
  const parts = searchedTexts(row);
  return parts.some((part) =>
    findsBeginnings(text) ? part.startsWith(text) : part.includes(text),
  );
}
