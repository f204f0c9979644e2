import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure, hasStatus } from './api-failure.ts';

/**
 * Requests are sent also while the browser says that it is offline: Dowel may run on the same machine. Otherwise an
 * action would wait and be sent later, when nobody expects it any more.
 */
const networkMode = 'always';

/** What the page was doing when an answer showed that the session has ended. What was sent to act was not done. */
export type SessionEnd = 'reading' | 'acting';

/** @param onSignedOut called when an answer shows that the session has ended. */
export function createQueryClient(onSignedOut: (end: SessionEnd) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (hasStatus(error, 401)) onSignedOut('reading');
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (hasStatus(error, 401) && !mutation.meta?.answersWrongCode) onSignedOut('acting');
      },
    }),
    defaultOptions: {
      queries: { retry: mayHelp, retryDelay: 1_000, networkMode, refetchOnReconnect: true },
      mutations: { networkMode },
    },
  });
}

/** Only a missing answer or a server error is retried automatically. */
function mayHelp(failures: number, error: Error): boolean {
  const isPassing = error instanceof ApiFailure && (error.status === 0 || error.status >= 500);
  return isPassing && failures < 1;
}
