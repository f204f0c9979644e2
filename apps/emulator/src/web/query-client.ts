/**
 * TanStack Query, configured so that every failed call is shown and a lost session opens the sign-in
 * page.
 */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { i18n } from 'i18next';
import { isSignedOut } from './control-client.ts';
import { sessionQuery } from './control-queries.ts';
import { showFailure } from './toasts.ts';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The failure's title: "Could not uninstall Nudge". */
      failed?: string;
      /** The component shows the failure beside the control that caused it. */
      showsFailureItself?: boolean;
    };
  }
}

export function createQueryClient({ t }: i18n): QueryClient {
  const leaveIfSignedOut = (error: unknown) => {
    if (isSignedOut(error)) client.setQueryData(sessionQuery.queryKey, null);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfSignedOut }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _onMutateResult, mutation) => {
        leaveIfSignedOut(error);
        if (!mutation.meta?.showsFailureItself) showFailure(t, mutation.meta?.failed, error);
      },
    }),
    defaultOptions: {
      // The emulator is on the same machine: offline detection would only delay calls.
      queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
