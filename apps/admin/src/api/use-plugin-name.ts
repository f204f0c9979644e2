import { useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';
import { installationsQuery } from './queries.ts';

/** Undefined until it is known. */
export function usePluginName(): string | undefined {
  const { data } = useInfiniteQuery(installationsQuery(useApi()));
  return data?.pages.at(-1)?.pluginName;
}
