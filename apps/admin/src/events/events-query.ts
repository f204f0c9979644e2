import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';
import { type EventsSearch, queryOfSearch, type SpanName, spans } from './events-search.ts';

const everyMs = 10_000;

/** The counts of refusals of the last day or week. */
export const refusalsQuery = (api: ApiClient, span: SpanName) =>
  queryOptions({
    queryKey: ['refusals', span] as const,
    queryFn: ({ signal }) => api.refusals({ last: spans[span] }, signal),
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });

/** The deliveries that match. More than one page is not loaded again: that would move what is read. */
export const deliveriesQuery = (api: ApiClient, search: EventsSearch) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', queryOfSearch(search)] as const,
    queryFn: ({ pageParam, signal }) =>
      api.deliveries({ ...queryOfSearch(search), after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? everyMs : false),
    placeholderData: keepPreviousData,
  });

/** A delivery never changes. */
export const deliveryQuery = (api: ApiClient, id: string) =>
  queryOptions({
    queryKey: ['delivery', id] as const,
    queryFn: ({ signal }) => api.delivery(id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
