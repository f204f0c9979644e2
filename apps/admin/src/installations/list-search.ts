/** The list's filters, text and order in the address. */
import {
  type FleetExportQuery,
  type FleetQuery,
  type FleetSort,
  fleetSortSchema,
  type StateGroup,
  stateGroupSchema,
} from '@dowel/schema';

export interface ListSearch {
  q?: string | undefined;
  /** Default: all. */
  group?: StateGroup | undefined;
  /** A reason of docs/errors.md. */
  cause?: string | undefined;
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
    sort: fleetSortSchema.exclude(['broken']).safeParse(raw.sort).data,
  };
}

/** What the list is limited to. */
export function toFilter({ q, group, cause }: ListSearch): Omit<FleetExportQuery, 'format'> {
  const search = q?.trim() ?? '';
  return {
    ...(search === '' ? {} : { search }),
    ...(group ? { group } : {}),
    ...(cause ? { cause } : {}),
  };
}

export function toQuery(search: ListSearch): Partial<FleetQuery> {
  const { sort } = search;
  return { ...toFilter(search), ...(sort ? { sort } : {}) };
}
