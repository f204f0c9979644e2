/** What is kept of the BFF's answers, and under which key. */
import { queryOptions } from '@tanstack/react-query';
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

export const installationsQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: installationsKey,
    queryFn: ({ signal }) => api.installations(signal),
  });

export const installationQuery = (api: ApiClient, id: string) =>
  queryOptions({
    queryKey: installationKey(id),
    queryFn: ({ signal }) => api.installation(id, signal),
  });
