import type { Fleet, LiveChanges } from '@dowel/admin-api';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
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

/** The rows of one request. */
const maxRows = 60;

/** Shows what has changed: the counts, the rows, and the page of an installation. Lists are not loaded again. */
export function applyChanges(
  { queryClient, rows }: Omit<ChangeTargets, 'api'>,
  changes: LiveChanges,
): void {
  const { now, fleet } = changes;
  if (fleet) {
    // Plug-in ids that are left out are as they were sent before.
    const before = queryClient.getQueryData<SentCounts>(sentCountsKey);
    const { pluginIds = before?.pluginIds, ...counts } = fleet;
    const sent = { ...counts, now, ...(pluginIds && { pluginIds }) };
    queryClient.setQueryData<SentCounts>(sentCountsKey, sent);
    queryClient.setQueryData<Fleet>(fleetKey, (known) => known && { ...known, ...sent });
  }
  rows.apply(changes);
  for (const id of [...changes.rows, ...changes.deltas].map((row) => row.id).concat(changes.gone)) {
    void loadAgain(queryClient, installationKey(id));
  }
}

/**
 * Breaks off nothing that is under way: while much changes there would be no answer, and a person may wait for older
 * entries. What is under way may be older than the change, so its data is loaded once more after it.
 */
async function loadAgain(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  const isUnderWay = queryClient.isFetching({ queryKey }) > 0;
  const load = () => queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
  await load();
  if (isUnderWay) await load();
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

export interface ShownTargets {
  queryClient: QueryClient;
  reloadRows: () => Promise<void>;
}

/** Call it when anything may have changed. Fetches the rows in view, but no list. */
export async function reloadShown({ queryClient, reloadRows }: ShownTargets): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: fleetKey, exact: true }),
    loadAgain(queryClient, installationsKey),
    reloadRows(),
  ]);
}

export interface RowReloader {
  /** Fetches the rows in view that may have changed. If that fails, it is tried again later. */
  reload: () => Promise<void>;
  stop: () => void;
}

/** Pauses after failures: 2 s, 4 s and so on. */
const firstPauseMs = 2_000;
const longestPauseMs = 60_000;

export function createRowReloader(targets: Omit<ChangeTargets, 'queryClient'>): RowReloader {
  let failures = 0;
  let isStopped = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  async function reload(): Promise<void> {
    if (isStopped) return;
    clearTimeout(waiting);
    try {
      await fetchUnsure(targets);
      failures = 0;
    } catch {
      if (isStopped) return;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      failures += 1;
      // Another one may have failed at the same time.
      clearTimeout(waiting);
      waiting = setTimeout(() => void reload(), pauseMs);
    }
  }

  return {
    reload,
    stop() {
      isStopped = true;
      clearTimeout(waiting);
    },
  };
}

/** Each row once, even if it changes again meanwhile: while very much changes, there would be no end. */
async function fetchUnsure({ api, rows }: Omit<ChangeTargets, 'queryClient'>): Promise<void> {
  const asked = new Set<string>();
  for (;;) {
    const unsure = rows.unsureInView().filter((id) => !asked.has(id));
    const ids = unsure.slice(0, maxRows);
    if (ids.length === 0) return;
    for (const id of ids) asked.add(id);
    await rows.reload(ids, () => api.rows(ids));
  }
}
