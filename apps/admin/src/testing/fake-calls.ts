/** The log of calls of the fake BFF. */
import type { CallEntry, CallGroups, Calls } from '@dowel/admin-api';

const filters = ['reason', 'status', 'fault', 'host'] as const;

/** All calls on one page. */
export function listCalls(calls: readonly CallEntry[], query: URLSearchParams, now: number): Calls {
  const shown = calls.filter((call) =>
    filters.every((name) => !query.has(name) || query.get(name) === String(call[name])),
  );
  const isFailed = query.get('outcome') !== 'all';
  return {
    now,
    calls: matchOne(shown, query).filter(({ reason }) => !isFailed || reason !== null),
    next: null,
  };
}

export function groupCalls(
  calls: readonly CallEntry[],
  query: URLSearchParams,
  now: number,
): CallGroups {
  const failed = matchOne(calls, query).filter(({ reason }) => reason !== null);
  const byReason = Map.groupBy(failed, ({ reason, status, fault }) =>
    JSON.stringify([reason, status, fault]),
  );
  const byHost = Map.groupBy(failed, ({ host }) => host ?? '');
  return {
    now,
    countedFrom: null,
    reasons: [...byReason.values()].map((group) => ({
      reason: group[0]?.reason ?? '',
      status: group[0]?.status ?? null,
      fault: group[0]?.fault ?? null,
      ...addUp(group),
    })),
    hosts: [...byHost].map(([host, group]) => ({ host, ...addUp(group) })),
  };
}

function matchOne(calls: readonly CallEntry[], query: URLSearchParams) {
  const id = query.get('installationId');
  return calls.filter(({ installation }) => id === null || installation.id === id);
}

function addUp(group: readonly CallEntry[]) {
  return {
    calls: group.reduce((sum, { count }) => sum + count, 0),
    installations: new Set(group.map(({ installation }) => installation.id)).size,
    firstAt: Math.min(...group.map(({ firstAt }) => firstAt)),
    lastAt: Math.max(...group.map(({ lastAt }) => lastAt)),
  };
}
