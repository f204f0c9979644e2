/** The list's filters, text and order in the address. */
import {
  type FleetQuery,
  type FleetSort,
  fleetSortSchema,
  type StateGroup,
  stateGroupSchema,
} from '@dowel/schema';

export interface ListSearch {
  q?: string;
  /** Default: all. */
  group?: StateGroup;
  /** A reason of docs/errors.md. */
  cause?: string;
  /** Default: `broken`, the longest first. */
  sort?: Exclude<FleetSort, 'broken'>;
}

export function parseListSearch(raw: Record<string, unknown>): ListSearch {
  const group = stateGroupSchema.safeParse(raw.group);
  const sort = fleetSortSchema.exclude(['broken']).safeParse(raw.sort);
  // The router reads `?q=42` as a number.
  const q = typeof raw.q === 'string' || typeof raw.q === 'number' ? String(raw.q) : '';
  return {
    ...(q === '' ? {} : { q }),
    ...(group.success ? { group: group.data } : {}),
    ...(typeof raw.cause === 'string' && raw.cause !== '' ? { cause: raw.cause } : {}),
    ...(sort.success ? { sort: sort.data } : {}),
  };
}

export function toQuery({ q, group, cause, sort }: ListSearch): Partial<FleetQuery> {
  const search = q?.trim() ?? '';
  return {
    ...(search === '' ? {} : { search }),
    ...(group ? { group } : {}),
    ...(cause ? { cause } : {}),
    ...(sort ? { sort } : {}),
  };
}
