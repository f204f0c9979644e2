import { useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';
import { installationsQuery } from './queries.ts';

/** How many installations need an operator; 0 until it is known. */
export function useBrokenCount(): number {
  const { data } = useInfiniteQuery(installationsQuery(useApi()));
  return data?.pages.at(-1)?.counts.attention ?? 0;
}
