import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

/** @param who the operator's whole name; empty: all. */
export const auditQuery = (api: ApiClient, who: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', who] as const,
    queryFn: ({ pageParam, signal }) =>
      api.audit({ after: pageParam, who: who === '' ? undefined : who }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
