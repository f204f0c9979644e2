import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

export const accountsQuery = (api: ApiClient) =>
  queryOptions({ queryKey: ['accounts'], queryFn: ({ signal }) => api.accounts(signal) });

/** The reader's own sessions; for an owner, all sessions. */
export const sessionsQuery = (api: ApiClient) =>
  queryOptions({ queryKey: ['sessions'], queryFn: ({ signal }) => api.sessions(signal) });
