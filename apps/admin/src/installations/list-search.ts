/** The list's filters, text and order in the address. */
import {
  type FleetExportQuery,
  type FleetQuery,
  type FleetSort,
  fleetSortSchema,
  type StateGroup,
  stateGroupSchema,
} from '@dowel/schema';

const hourMs = 3_600_000;

/** How long installations have been without access. All others are left out. */
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
  /** A reason of docs/errors.md. */
  cause?: string | undefined;
  age?: Age | undefined;
  /** One that was granted. */
  scope?: string | undefined;
  /** Default: `broken`, the longest first. */
  sort?: Exclude<FleetSort, 'broken'> | undefined;
}

/** What is not understood is undefined: the router would give what is missing here as it came. */
export function parseListSearch(raw: Record<string, unknown>): ListSearch {
  // The router reads `?q=42` as a number.
  const q = typeof raw.q === 'string' || typeof raw.q === 'number' ? String(raw.q) : '';
  return {
    q: q || undefined,
    group: stateGroupSchema.safeParse(raw.group).data,
    cause: typeof raw.cause === 'string' ? raw.cause || undefined : undefined,
    age: ages.find((age) => age === raw.age),
    scope: typeof raw.scope === 'string' ? raw.scope || undefined : undefined,
    sort: fleetSortSchema.exclude(['broken']).safeParse(raw.sort).data,
  };
}

/** What the list is limited to. */
export function toFilter({
  q,
  group,
  cause,
  age,
  scope,
}: ListSearch): Omit<FleetExportQuery, 'format'> {
  const search = q?.trim() ?? '';
  return {
    ...(search === '' ? {} : { search }),
    ...(group ? { group } : {}),
    ...(cause ? { cause } : {}),
    ...(age ? ageLimits[age] : {}),
    ...(scope ? { scope } : {}),
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
  const { sort } = search;
  return { ...toFilter(search), ...(sort ? { sort } : {}) };
}
