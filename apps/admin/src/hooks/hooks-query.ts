import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';

const pageSize = 50;
/** The counter in the navigation is live: the page must not lag far behind it. Each loaded page is one request. */
const everyMs = 5_000;

/** The parked deliveries of all installations, the latest parked first. A first load that fails is tried again by a person. */
export const hooksQuery = (api: ApiClient) =>
  infiniteQueryOptions({
    queryKey: ['hooks'] as const,
    queryFn: ({ pageParam, signal }) =>
      api.parkedHooks({ limit: pageSize, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state: { data } }) => data !== undefined && everyMs * data.pages.length,
  });
