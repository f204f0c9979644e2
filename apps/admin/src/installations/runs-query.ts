import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

const everyMs = 1_000;

/** The runs of the last day, the newest first. While one is under way, they are read each second. */
export const runsQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['runs'],
    queryFn: ({ signal }) => api.runs(signal),
    refetchInterval: ({ state }) =>
      state.data?.runs.some(({ endedAt }) => endedAt === null) ? everyMs : false,
  });
