import type { Fleet, LiveChanges } from '@dowel/schema';
import type { QueryClient } from '@tanstack/react-query';
import type { ApiClient } from './api-client.ts';
import type { FleetRows } from './fleet-rows.ts';
import {
  fleetKey,
  installationKey,
  installationsKey,
  listKey,
  type SentCounts,
  sentCountsKey,
} from './queries.ts';

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
  const { now, fleet } = changes;
  if (fleet) {
    const sent = { ...fleet, now };
    queryClient.setQueryData<SentCounts>(sentCountsKey, sent);
    queryClient.setQueryData<Fleet>(fleetKey, (known) => known && { ...known, ...sent });
  }
  rows.apply(changes);
  for (const id of [...changes.rows, ...changes.deltas].map((row) => row.id).concat(changes.gone)) {
    void queryClient.invalidateQueries({ queryKey: installationKey(id) });
  }
}

interface ListPage {
  ids: readonly string[];
}

/** Drops rows once no list holds them: lists that nobody has looked at for a while are removed from the cache. */
export function dropUnlistedRows({ queryClient, rows }: Omit<ChangeTargets, 'api'>): () => void {
  return queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'removed' || query.queryKey[0] !== listKey[0]) return;
    const lists = queryClient.getQueriesData<ListPage | { pages: ListPage[] }>({
      queryKey: listKey,
    });
    const pages = lists.flatMap(([, data]) =>
      data && 'pages' in data ? data.pages : (data ?? []),
    );
    rows.keepOnly(new Set(pages.flatMap(({ ids }) => ids)));
  });
}

/** Call it when anything may have changed. Fetches the rows in view, but no list. */
export async function reloadShown({ api, queryClient, rows }: ChangeTargets): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: fleetKey, exact: true }),
    queryClient.invalidateQueries({ queryKey: installationsKey }),
    reloadRows({ api, rows }),
  ]);
}

/** Fetches the rows in view that may have changed. */
export async function reloadRows({ api, rows }: Omit<ChangeTargets, 'queryClient'>): Promise<void> {
  const ids = rows.unsureInView().slice(0, maxRows);
  if (ids.length === 0) return;
  try {
    await rows.reload(ids, () => api.rows(ids));
  } catch {
    // The rows are updated by the next change or the next load of the list.
  }
}
