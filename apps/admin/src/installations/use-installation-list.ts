import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useFleetRows } from '../api/fleet-rows.ts';
import { listKey } from '../api/queries.ts';
import { useFleet } from '../api/use-fleet.ts';
import { countLive, type ListSearch, toQuery } from './list-search.ts';

const pageSize = 100;

export type InstallationList = ReturnType<typeof useInstallationList>;

/** The ids that match, page by page. Once loaded, they keep their order until a person asks. */
export function useInstallationList(search: ListSearch) {
  const api = useApi();
  const rows = useFleetRows();
  const queryClient = useQueryClient();
  const router = useRouter();
  const queryKey = useMemo(() => [...listKey, toQuery(search)] as const, [search]);
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const request = { ...toQuery(search), limit: pageSize, after: pageParam };
      const ask = () => api.installations(request, signal);
      const { installations, ...page } = await rows.load(ask);
      return { ...page, ids: installations.map(({ id }) => id) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const live = countLive(useFleet(), search);
  const pages = query.data?.pages;
  // A row that moved while pages loaded may be in two pages.
  const ids = useMemo(() => [...new Set(pages?.flatMap((page) => page.ids))], [pages]);

  useEffect(() => {
    rows.listed = ids;
    rows.listedAt = router.buildLocation({ to: '/installations', search }).href;
  }, [rows, ids, router, search]);

  return {
    ids,
    total: live === undefined ? (pages?.[0]?.total ?? null) : { count: live, isExact: true },
    first: pages?.[0],
    error: query.error,
    isPending: query.isPending,
    /** Another search is shown until this one is answered. */
    isOld: query.isPlaceholderData,
    hasMore: query.hasNextPage,
    /** The next page failed. Only a person asks for it again. */
    hasMoreFailed: query.isFetchNextPageError,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
    },
    /** Keeps what is shown until the answer. */
    refetch: () => void query.refetch(),
    reload: () => void queryClient.resetQueries({ queryKey }),
    /** After a failure of the next page, the loaded rows stay. */
    tryAgain: () =>
      void (query.isFetchNextPageError
        ? query.fetchNextPage()
        : queryClient.resetQueries({ queryKey })),
  };
}
