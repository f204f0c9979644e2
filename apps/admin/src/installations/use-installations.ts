/**
 * The installations that match a search. If all are loaded, this page filters and searches. For a longer
 * list the server does it.
 */
import type { InstallationSummary } from '@dowel/schema';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from '../api/api-context.tsx';
import { installationsQuery } from '../api/queries.ts';
import type { InstallationsSearch } from './installations-search.ts';
import { selectInstallations } from './select-installations.ts';

const typingMs = 250;

export function useInstallations(search: InstallationsSearch) {
  const api = useApi();
  const all = useInfiniteQuery(installationsQuery(api));
  const [text] = useDebouncedValue(search.q?.trim() ?? '', typingMs);
  const isPartial = all.hasNextPage;
  const asksServer = isPartial && (search.filter !== undefined || text !== '');
  const picked = useInfiniteQuery({
    ...installationsQuery(api, { status: search.filter, search: text === '' ? undefined : text }),
    enabled: asksServer,
    placeholderData: keepPreviousData,
  });
  const counts = all.data?.pages.at(-1)?.counts;
  const needing = useInfiniteQuery({
    ...installationsQuery(api, { status: 'attention' }),
    enabled: isPartial && (counts?.attention ?? 0) > 0,
  });
  const loaded = flatten(all.data?.pages);
  const shown = asksServer ? picked : all;

  return {
    all,
    loaded,
    counts,
    isPartial,
    /** A search needs more than a filter. */
    isSearched: text !== '',
    /** Without a server answer, use the loaded rows. */
    installations:
      asksServer && picked.data
        ? flatten(picked.data.pages)
        : selectInstallations(loaded, isPartial && !asksServer ? {} : search),
    isLoading: asksServer && (picked.isPending || picked.isPlaceholderData),
    failure: asksServer ? picked.error : null,
    retry: () => void picked.refetch(),
    needing: isPartial ? flatten(needing.data?.pages) : loaded,
    hasMore: shown.hasNextPage,
    isLoadingMore: shown.isFetchingNextPage,
    loadMore: () => void shown.fetchNextPage(),
  };
}

/** A row that moved while pages loaded may be in two of them. */
function flatten(pages: { installations: InstallationSummary[] }[] = []): InstallationSummary[] {
  const all = pages.flatMap(({ installations }) => installations);
  return [...new Map(all.map((each) => [each.id, each])).values()];
}
