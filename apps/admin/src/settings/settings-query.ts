import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

/** The settings; only operators and owners may read them. */
export const settingsQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['settings'] as const,
    queryFn: ({ signal }) => api.settings(signal),
  });
