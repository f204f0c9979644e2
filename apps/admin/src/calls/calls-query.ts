import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';
import { type CallsSearch, spans } from './calls-search.ts';

/** Processes store their calls every ten seconds, and the first of a burst at once. */
const everyMs = 10_000;

/** The calls that match, the latest first. While only the first page is shown, it is kept up to date. */
export const callsQuery = (api: ApiClient, search: CallsSearch) =>
  infiniteQueryOptions({
    queryKey: ['calls', search] as const,
    queryFn({ pageParam, signal }) {
      const { last = 'day', installation: installationId, plugin: pluginId, ...equal } = search;
      const { outcome, ...others } = equal;
      const since = Date.now() - spans[last];
      const query = { ...others, after: pageParam, since, installationId, pluginId };
      return api.calls({ ...query, outcome: outcome ?? 'failed' }, signal);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state: { data } }) => (data?.pages.length ?? 0) === 1 && everyMs,
    placeholderData: keepPreviousData,
  });

/** Failed calls by reason and host, whichever of these is chosen. */
export function callGroupsQuery(api: ApiClient, search: CallsSearch) {
  const { last = 'day', installation: installationId, plugin: pluginId } = search;
  return queryOptions({
    queryKey: ['call groups', last, installationId, pluginId] as const,
    queryFn: ({ signal }) =>
      api.callGroups({ since: Date.now() - spans[last], installationId, pluginId }, signal),
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });
}
