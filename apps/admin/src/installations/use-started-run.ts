import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';

const startedRunKey = ['started run'] as const;

/** The run that was started here last, also on an earlier visit of the page. It is forgotten when it is closed. */
export function useStartedRun() {
  const queryClient = useQueryClient();
  const { data } = useQuery<string | null>({
    queryKey: startedRunKey,
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const remember = (id: string | null) => queryClient.setQueryData(startedRunKey, id);
  return {
    startedId: data ?? undefined,
    start: (id: string) => void remember(id),
    close: () => void remember(null),
  };
}
