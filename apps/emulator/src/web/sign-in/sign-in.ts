import { useMutation, useQueryClient } from '@tanstack/react-query';
import { signIn, signOut } from '../control-client.ts';
import { sessionQuery } from '../control-queries.ts';

/** Becomes another person; whatever the last person saw is forgotten. */
export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: signIn,
    meta: { attempt: 'sign in' },
    onSuccess: async () => {
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
      client.removeQueries({ predicate: (query) => isPersonal(query.queryKey) });
    },
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: signOut,
    meta: { attempt: 'sign out' },
    onSuccess: () => {
      client.setQueryData(sessionQuery.queryKey, null);
      client.removeQueries({ predicate: (query) => isPersonal(query.queryKey) });
    },
  });
}

function isPersonal(queryKey: readonly unknown[]): boolean {
  return queryKey[0] !== 'session' && queryKey[0] !== 'tenants';
}
