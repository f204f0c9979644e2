import {
  type FleetInstallation,
  findsBeginnings,
  foldSearch,
  groupOf,
  searchedTexts,
  stateOf,
} from '@dowel/schema';
import type { ListSearch } from './list-search.ts';

/** Whether a changed row belongs to the list, as the server would decide it. */
export function matchesSearch(row: FleetInstallation, search: ListSearch, now: number): boolean {
  if (search.group && groupOf(stateOf(row, now)) !== search.group) return false;
  if (search.cause && row.cause !== search.cause) return false;
  const text = foldSearch(search.q ?? '');
  const parts = searchedTexts(row);
  return findsBeginnings(text)
    ? parts.some((part) => part.startsWith(text))
    : [...parts, row.pluginId].some((part) => part.includes(text));
}
