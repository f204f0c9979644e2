import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

/** For operators and owners. */
export const settingsQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['settings'] as const,
    queryFn: ({ signal }) => api.settings(signal),
  });
