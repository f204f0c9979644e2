import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

/** The interval during a count or a rotation. */
const soonMs = 3_000;
const laterMs = 30_000;

export const keysQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['keys'] as const,
    queryFn: ({ signal }) => api.keys(signal),
    refetchInterval: ({ state: { data } }) => {
      const { counting, step } = data?.encryption ?? {};
      return counting || step === 'restart' || step === 'reencrypt' ? soonMs : laterMs;
    },
  });
