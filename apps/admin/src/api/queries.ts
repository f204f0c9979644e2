/** The queries of the BFF's data and their cache keys. */
import type { InstallationListQuery } from '@dowel/schema';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from './api-client.ts';

export const sessionKey = ['session'] as const;
export const installationsKey = ['installations'] as const;
export const installationKey = (id: string) => ['installation', id] as const;

export const sessionQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: sessionKey,
    queryFn: ({ signal }) => api.session(signal),
    staleTime: 60_000,
  });

/** Filters of the list. Default: all installations. */
export type InstallationSelection = Pick<InstallationListQuery, 'status' | 'search'>;

const pageSize = 100;

export const installationsQuery = (api: ApiClient, selection: InstallationSelection = {}) =>
  infiniteQueryOptions({
    queryKey: [...installationsKey, selection] as const,
    queryFn: ({ pageParam, signal }) =>
      api.installations({ ...selection, limit: pageSize, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

export const installationQuery = (api: ApiClient, id: string) =>
  queryOptions({
    queryKey: installationKey(id),
    queryFn: ({ signal }) => api.installation(id, signal),
  });
