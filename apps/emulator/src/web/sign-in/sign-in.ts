import { useMutation, useQueryClient } from '@tanstack/react-query';
import { signIn, signOut } from '../control-client.ts';
import { sessionQuery } from '../control-queries.ts';

/** Signs in as the person with a user id. */
export function useSignIn() {
  const loadSession = useLoadSession();
  return useMutation({
    mutationFn: signIn,
    meta: { attempt: 'sign in' },
    onSuccess: loadSession,
  });
}

export function useSignOut() {
  const loadSession = useLoadSession();
  return useMutation({
    mutationFn: signOut,
    meta: { attempt: 'sign out' },
    onSuccess: loadSession,
  });
}

function useLoadSession() {
  const client = useQueryClient();
  return () => client.fetchQuery({ ...sessionQuery, staleTime: 0 });
}
