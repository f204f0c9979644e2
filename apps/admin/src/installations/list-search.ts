/** The list's filters, text and order in the address. */
import {
  type Fleet,
  type FleetExportQuery,
  type FleetQuery,
  type FleetSort,
  fleetSortDirections,
  fleetSortSchema,
  type StateGroup,
  stateGroupSchema,
} from '@dowel/admin-api';

import { countAll } from '../states/count-all.ts';

const hourMs = 3_600_000;

/** Limits of the time without access. Installations with access do not match. */
const ageLimits = {
  'under-hour': { maxAgeMs: hourMs },
  'over-hour': { minAgeMs: hourMs },
  'over-day': { minAgeMs: 24 * hourMs },
  'over-week': { minAgeMs: 7 * 24 * hourMs },
} as const;

export type Age = keyof typeof ageLimits;
export const ages = Object.keys(ageLimits) as Age[];

export interface ListSearch {
  q?: string | undefined;
  /** Default: all. */
  group?: StateGroup | undefined;
  /** A reason of docs/errors.md, or a name of `causeNameOf`. */
  cause?: string | undefined;
  age?: Age | undefined;
  /** A granted scope. */
  scope?: string | undefined;
  /** Its id. */
  plugin?: string | undefined;
  /** Default: `broken`, the longest first. */
  sort?: Exclude<FleetSort, 'broken'> | undefined;
  /** Only if it is not the usual one of the order. */
  direction?: 'asc' | 'desc' | undefined;
}

/** Invalid values become undefined. Each key must be present: the router would pass a missing one on unchecked. */
export function parseListSearch(raw: Record<string, unknown>): ListSearch {
  // The router reads `?q=42` as a number.
  const q = typeof raw.q === 'string' || typeof raw.q === 'number' ? String(raw.q) : '';
  const sort = fleetSortSchema.exclude(['broken']).safeParse(raw.sort).data;
  const direction = (['asc', 'desc'] as const).find((each) => each === raw.direction);
  return {
    q: q || undefined,
    group: stateGroupSchema.safeParse(raw.group).data,
    cause: textOf(raw.cause),
    age: ages.find((age) => age === raw.age),
    scope: textOf(raw.scope),
    plugin: textOf(raw.plugin),
    sort,
    direction: direction === fleetSortDirections[sort ?? 'broken'] ? undefined : direction,
  };
}

/** The direction that is not the usual one of the order. */
export function reverseOf(sort: FleetSort): 'asc' | 'desc' {
  return fleetSortDirections[sort] === 'asc' ? 'desc' : 'asc';
}

function textOf(raw: unknown): string | undefined {
  return typeof raw === 'string' ? raw || undefined : undefined;
}

/** What the list is limited to. */
export function toFilter({
  q,
  group,
  cause,
  age,
  scope,
  plugin,
}: ListSearch): Omit<FleetExportQuery, 'format' | 'language'> {
  const search = q?.trim() ?? '';
  return {
    ...(search === '' ? {} : { search }),
    ...(group ? { group } : {}),
    ...(cause ? { cause } : {}),
    ...(age ? ageLimits[age] : {}),
    ...(scope ? { scope } : {}),
    ...(plugin ? { pluginId: plugin } : {}),
  };
}

/** Whether a time without access belongs to the age. @param since null: it has access */
export function isOfAge(age: Age, since: number | null, now: number): boolean {
  if (since === null) return false;
  const { minAgeMs = 0, maxAgeMs = Infinity }: { minAgeMs?: number; maxAgeMs?: number } =
    ageLimits[age];
  return now - since >= minAgeMs && now - since <= maxAgeMs;
}

export function toQuery(search: ListSearch): Partial<FleetQuery> {
  const { sort, direction } = search;
  return {
    ...toFilter(search),
    ...(sort ? { sort } : {}),
    ...(direction ? { direction } : {}),
  };
}

/** How many match, by the live counts; undefined: they do not say it of this filter. */
export function countLive(fleet: Fleet | undefined, search: ListSearch): number | undefined {
  const { group, cause, ...others } = toFilter(search);
  if (!fleet || Object.keys(others).length > 0 || (group && cause)) return undefined;
  if (cause) return fleet.causes.find((each) => each.cause === cause)?.count ?? 0;
  return group ? fleet.groups[group] : countAll(fleet);
}
