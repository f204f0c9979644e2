/** The order of the list, as the server sorts it. */
import { type FleetInstallation, fleetSortDirections } from '@dowel/admin-api';
import type { ListSearch } from './list-search.ts';

const columns = {
  broken: 'accessEndsAt',
  began: 'beganAt',
  expiry: 'tokenExpiresAt',
  event: 'lastEventAt',
} as const;

/** Below 0: `one` comes before `other`. */
export function compareRows(
  one: FleetInstallation,
  other: FleetInstallation,
  search: ListSearch,
): number {
  const { sort = 'broken', direction = fleetSortDirections[sort] } = search;
  const sign = direction === 'asc' ? 1 : -1;
  if (sort === 'host') return sign * compareTexts(hostKey(one), hostKey(other));
  const a = one[columns[sort]];
  const b = other[columns[sort]];
  if (a !== null && b !== null) return sign * (a - b);
  // Those without a value come last, the newest first.
  return a === b ? other.beganAt - one.beganAt : a === null ? 1 : -1;
}

const hostKey = (row: FleetInstallation) => `${row.issuer}\n${row.tenantId}\n${row.pluginId}`;

/** As the database: by characters, not by a language. */
function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
