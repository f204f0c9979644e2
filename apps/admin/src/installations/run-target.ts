import type { RunRequest } from '@dowel/schema';
import { type ListSearch, toFilter } from './list-search.ts';

/** The installations that a run takes: chosen rows, or all that match the list's filter. */
export interface RunTarget {
  /** Chosen rows; undefined: all that match. */
  ids?: readonly string[];
  search: ListSearch;
  /** How many, as far as the page knows; undefined: it does not. */
  count: number | undefined;
}

export function toRunTarget({ ids, search }: RunTarget): Pick<RunRequest, 'ids' | 'filter'> {
  if (ids) return { ids: [...ids] };
  return { filter: toFilter(search) };
}
