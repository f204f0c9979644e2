import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

/** The interval while a run is under way. */
const nowMs = 1_000;
/** Otherwise: another operator may start one. */
const laterMs = 10_000;

/** The runs of the last day, the newest first. A first load that fails is tried again by a person. */
export const runsQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['runs'],
    queryFn: ({ signal }) => api.runs(signal),
    refetchInterval({ state: { data } }) {
      if (!data) return false;
      return data.runs.some(({ endedAt }) => endedAt === null) ? nowMs : laterMs;
    },
  });
