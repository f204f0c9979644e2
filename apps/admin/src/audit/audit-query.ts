import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';
import { type AuditSearch, boundsOf } from './audit-search.ts';

export const auditQuery = (api: ApiClient, search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', search] as const,
    queryFn({ pageParam, signal }) {
      const { who, action, installation: installationId, result } = search;
      const bounds = boundsOf(search, new Date());
      return api.audit(
        { after: pageParam, who, action, installationId, result, ...bounds },
        signal,
      );
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
