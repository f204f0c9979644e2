import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';
import { type AuditSearch, boundsOf } from './audit-search.ts';

export const auditQuery = (api: ApiClient, { who, days, result }: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', who, days, result] as const,
    queryFn: ({ pageParam, signal }) =>
      api.audit({ after: pageParam, who, result, ...boundsOf(days, new Date()) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
