import type { RunRequest } from '@dowel/admin-api';
import { type ListSearch, toFilter } from './list-search.ts';

/** The installations of a run: chosen rows, or all that match the list's filter. */
export interface RunTarget {
  /** Chosen rows; undefined: all that match. */
  ids?: readonly string[];
  search: ListSearch;
  /** The number of installations; undefined: not known. */
  count: number | undefined;
}

export function toRunTarget({ ids, search }: RunTarget): Pick<RunRequest, 'ids' | 'filter'> {
  if (ids) return { ids: [...ids] };
  return { filter: toFilter(search) };
}
