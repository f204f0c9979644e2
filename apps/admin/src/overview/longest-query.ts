import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

const shownCount = 6;

/** @param brokenCount asks again whenever it changes. */
export const longestQuery = (api: ApiClient, brokenCount: number) =>
  queryOptions({
    queryKey: ['longest', brokenCount],
    queryFn: ({ signal }) => api.installations({ group: 'broken', limit: shownCount }, signal),
    enabled: brokenCount > 0,
    placeholderData: keepPreviousData,
  });
