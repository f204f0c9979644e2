import { type FleetInstallation, groupOf, stateOf } from '@dowel/schema';
import type { ListSearch } from './list-search.ts';

/** Whether a changed row belongs to the list, as the server would decide it. */
export function matchesSearch(row: FleetInstallation, search: ListSearch, now: number): boolean {
  if (search.group && groupOf(stateOf(row, now)) !== search.group) return false;
  if (search.cause && row.cause !== search.cause) return false;
  const text = search.q?.trim().toLowerCase() ?? '';
  const parts = [row.host, row.name, row.id, row.tenantId];
  return text.length > 2
    ? parts.some((part) => part.toLowerCase().includes(text))
    : parts.some((part) => part.toLowerCase().startsWith(text));
}
