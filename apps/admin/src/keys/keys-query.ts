import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

/** The interval while a run seals values. */
const nowMs = 1_000;
/** The interval during a count or a rotation. */
const soonMs = 3_000;
const laterMs = 30_000;

export const keysQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['keys'] as const,
    queryFn: ({ signal }) => api.keys(signal),
    refetchInterval: ({ state: { data } }) => {
      const { run, counting, step } = data?.encryption ?? {};
      if (run && run.endedAt === null) return nowMs;
      return counting || step === 'reencrypt' ? soonMs : laterMs;
    },
  });
