import type { QueryClient } from '@tanstack/react-query';
import type { ApiClient } from './api-client.ts';
import type { FleetRows } from './fleet-rows.ts';
import { fleetKey, installationKey } from './queries.ts';

export interface ChangeTargets {
  api: ApiClient;
  queryClient: QueryClient;
  rows: FleetRows;
}

/** When more have changed at once, only the rows in view are fetched. */
const maxRows = 60;

/**
 * Fetches what has changed: the counts, the rows, and the page of an installation if it is open. Lists are
 * not loaded again. A failed request leaves the rows as they are.
 */
export async function applyChanges(
  { api, queryClient, rows }: ChangeTargets,
  ids: readonly string[],
): Promise<void> {
  const inView = new Set(rows.watchedIds());
  const wanted = ids.length > maxRows ? ids.filter((id) => inView.has(id)) : ids;
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: fleetKey, exact: true }),
    ...ids.map((id) => queryClient.invalidateQueries({ queryKey: installationKey(id) })),
    fetchRows(api, rows, wanted.slice(0, maxRows)),
  ]);
}

async function fetchRows(api: ApiClient, rows: FleetRows, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  try {
    rows.change((await api.rows(ids)).installations);
  } catch {
    // The next change, or the next load of the list, brings them.
  }
}
