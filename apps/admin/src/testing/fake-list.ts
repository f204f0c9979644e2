/** The BFF's list of installations in memory: pages, filters, search, order and counts. */
import {
  causeNameOf,
  type Fleet,
  type FleetInstallation,
  type FleetList,
  fleetQuerySchema,
  groupOf,
  installationStateSchema,
  stateGroupSchema,
  stateOf,
  withoutAccessSince,
} from '@dowel/admin-api';
import { compareRows } from '../installations/compare-rows.ts';
import { matchesSearch } from '../installations/matches-search.ts';

const hourMs = 3_600_000;
const grantedToAll = 'plugin:notify';

export interface FakeListOptions {
  now: number;
  /** The most rows of a page, even if the request asks for more. */
  maxPageSize: number;
}

export function listInstallations(
  installations: readonly FleetInstallation[],
  parameters: URLSearchParams,
  { now, maxPageSize }: FakeListOptions,
): FleetList {
  const query = fleetQuerySchema.parse(Object.fromEntries(parameters));
  const { limit, after = '0', search = '', group, cause, sort } = query;
  const { minAgeMs = 0, maxAgeMs = Infinity, scope } = query;
  const wanted = {
    q: search,
    ...(group ? { group } : {}),
    ...(cause ? { cause } : {}),
    ...(query.pluginId === undefined ? {} : { plugin: query.pluginId }),
  };
  const isOfAge = (each: FleetInstallation) => {
    if (query.minAgeMs === undefined && query.maxAgeMs === undefined) return true;
    const since = withoutAccessSince(each, now);
    return since !== null && now - since >= minAgeMs && now - since <= maxAgeMs;
  };
  const found = installations.filter(
    (each) =>
      matchesSearch(each, wanted, now) &&
      isOfAge(each) &&
      // Every installation has this scope.
      (scope === undefined || scope === grantedToAll),
  );
  const order = { sort: sort === 'broken' ? undefined : sort, direction: query.direction };
  const sorted = found.toSorted((a, b) => compareRows(a, b, order));
  const start = Number(after);
  const end = start + Math.min(limit, maxPageSize);
  return {
    now,
    installations: sorted.slice(start, end),
    next: end < found.length ? String(end) : null,
    isSearching: false,
    total: start === 0 ? { count: found.length, isExact: true } : null,
  };
}

export function countFleet(installations: readonly FleetInstallation[], now: number): Fleet {
  const states = installations.map((each) => stateOf(each, now));
  const sinces = installations.flatMap((each) => withoutAccessSince(each, now) ?? []);
  const causes = Map.groupBy(
    installations,
    (each) => causeNameOf(each.cause, stateOf(each, now)) ?? '',
  );
  const countSince = (belongs: (ageMs: number) => boolean) =>
    sinces.filter((since) => belongs(now - since)).length;
  return {
    now,
    pluginName: 'Lunch menu',
    groups: countEach(stateGroupSchema.options, states.map(groupOf)),
    states: countEach(installationStateSchema.options, states),
    causes: [...causes]
      .filter(([cause]) => cause !== '')
      .map(([cause, those]) => ({ cause, count: those.length }))
      .toSorted((a, b) => b.count - a.count),
    brokenWithinHour: countSince((ageMs) => ageMs < hourMs),
    brokenOverDay: countSince((ageMs) => ageMs > 24 * hourMs),
    parkedHooks: installations.reduce((sum, { parkedHooks }) => sum + parkedHooks, 0),
    pluginIds: [...new Set(installations.map(({ pluginId }) => pluginId))].slice(0, 50),
    scopes: [grantedToAll, 'plugin:users'],
    manifestUrls: ['https://dowel.example.com/apps/manifest.json'],
  };
}

function countEach<K extends string>(keys: readonly K[], values: readonly K[]): Record<K, number> {
  const counts = Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
  for (const value of values) counts[value] += 1;
  return counts;
}
