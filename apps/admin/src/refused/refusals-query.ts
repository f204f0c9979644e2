import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';
import { type SpanName, spans } from './refused-search.ts';

/** Processes store their counts every five seconds. */
const everyMs = 10_000;

/** The refusals of the last day or week. */
export const refusalsQuery = (api: ApiClient, span: SpanName) =>
  queryOptions({
    queryKey: ['refusals', span] as const,
    queryFn: ({ signal }) => api.refusals({ last: spans[span] }, signal),
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });
