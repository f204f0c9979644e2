import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

export const accountsQuery = (api: ApiClient) =>
  queryOptions({ queryKey: ['accounts'], queryFn: ({ signal }) => api.accounts(signal) });

/** One's own; for an owner, those of all. */
export const sessionsQuery = (api: ApiClient) =>
  queryOptions({ queryKey: ['sessions'], queryFn: ({ signal }) => api.sessions(signal) });
