/** The queries of the BFF's data and their cache keys. */
import type { Fleet, LiveChanges, SeriesSpan } from '@dowel/admin-api';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from './api-client.ts';

export const sessionKey = ['session'] as const;
export const fleetKey = ['fleet'] as const;
/** The key of the counts that the stream sent last. */
export const sentCountsKey = ['sent counts'] as const;
export type SentCounts = Omit<NonNullable<LiveChanges['fleet']>, 'pluginIds'> &
  Pick<LiveChanges, 'now'> &
  Partial<Pick<Fleet, 'pluginIds'>>;
/** The key of every list of installations. */
export const listKey = ['list'] as const;
/** The key of the pages of all installations. */
export const installationsKey = ['installation'] as const;
export const installationKey = (id: string) => [...installationsKey, id] as const;

export const sessionQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: sessionKey,
    queryFn: ({ signal }) => api.session(signal),
    staleTime: 60_000,
  });

/** Loaded once: it changes only with a restart. */
export const signInMethodsQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['sign-in methods'] as const,
    queryFn: ({ signal }) => api.signInMethods(signal),
    staleTime: Infinity,
  });

/** The counts of all installations. What the stream has sent is kept if it is newer than the answer. */
export const fleetQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: fleetKey,
    async queryFn({ signal, client }) {
      const answer = await api.fleet(signal);
      const sent = client.getQueryData<SentCounts>(sentCountsKey);
      return sent && sent.now > answer.now ? { ...answer, ...sent } : answer;
    },
  });

const sampleMs = 60_000;

/** The fleet's history. It grows once a minute. */
export const seriesQuery = (api: ApiClient, span: SeriesSpan) =>
  queryOptions({
    queryKey: ['series', span] as const,
    queryFn: ({ signal }) => api.series(span, signal),
    staleTime: sampleMs / 2,
    refetchInterval: sampleMs,
    placeholderData: keepPreviousData,
  });

/** The rules are evaluated every half minute. */
export const alertsQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['alerts'],
    queryFn: ({ signal }) => api.alerts(signal),
    refetchInterval: ({ state: { data } }) => data !== undefined && 30_000,
  });

export const installationQuery = (api: ApiClient, id: string) =>
  queryOptions({
    queryKey: installationKey(id),
    queryFn: ({ signal }) => api.installation(id, signal),
  });

/** Processes store their calls every ten seconds. */
const callsMs = 10_000;
const lastCalls = 10;

/** The last calls of an installation that failed. */
export const failedCallsQuery = (api: ApiClient, id: string) =>
  queryOptions({
    queryKey: [...installationKey(id), 'calls'] as const,
    queryFn: ({ signal }) => api.calls({ installationId: id, limit: lastCalls }, signal),
    // The stream of changes does not name single calls.
    refetchInterval: callsMs,
  });

const timelinePage = 50;

/** @param kinds separated by commas; undefined: all. */
export const timelineQuery = (api: ApiClient, id: string, kinds: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...installationKey(id), 'timeline', kinds] as const,
    queryFn: ({ pageParam, signal }) =>
      api.timeline(id, { limit: timelinePage, after: pageParam, kinds }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
