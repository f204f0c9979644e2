import { applyRowPatch, type Fleet, type FleetInstallation, type LiveChanges } from '@dowel/schema';
import { type QueryClient, replaceEqualDeep } from '@tanstack/react-query';
import type { ApiClient } from './api-client.ts';
import type { FleetRows } from './fleet-rows.ts';
import { fleetKey, installationKey, installationsKey } from './queries.ts';

export interface ChangeTargets {
  api: ApiClient;
  queryClient: QueryClient;
  rows: FleetRows;
}

const maxRows = 60;

/** Shows what has changed: the counts, the rows, and the page of an installation. Lists are not loaded again. */
export function applyChanges(
  { queryClient, rows }: Omit<ChangeTargets, 'api'>,
  changes: LiveChanges,
): void {
  const { now, fleet, gone } = changes;
  if (fleet) {
    queryClient.setQueryData<Fleet>(fleetKey, (known) => known && { ...known, ...fleet, now });
  }
  rows.change(changes.rows.flatMap((patch) => changedRow(rows.get(patch.id), patch, now) ?? []));
  for (const id of [...changes.rows.map((row) => row.id), ...gone]) {
    void queryClient.invalidateQueries({ queryKey: installationKey(id) });
  }
}

/** Undefined: nothing that the page shows has changed, or the row is unknown. */
function changedRow(
  known: FleetInstallation | undefined,
  patch: LiveChanges['rows'][number],
  now: number,
): FleetInstallation | undefined {
  const row = replaceEqualDeep(known, applyRowPatch(known, patch, now));
  return row === known ? undefined : row;
}

/** Anything may have changed. Fetches what is in view, and no list. */
export async function reloadShown({ api, queryClient, rows }: ChangeTargets): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: fleetKey, exact: true }),
    queryClient.invalidateQueries({ queryKey: installationsKey }),
    fetchRows(api, rows, rows.watchedIds().slice(0, maxRows)),
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
