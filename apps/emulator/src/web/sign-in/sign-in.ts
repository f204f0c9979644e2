import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { signIn, signOut } from '../control-client.ts';
import { sessionQuery } from '../control-queries.ts';

/** Signs in as the person with a user id. */
export function useSignIn() {
  const { t } = useTranslation();
  const loadSession = useLoadSession();
  return useMutation({
    mutationFn: signIn,
    meta: { failed: t('signIn.failed') },
    onSuccess: loadSession,
  });
}

export function useSignOut() {
  const { t } = useTranslation();
  const loadSession = useLoadSession();
  return useMutation({
    mutationFn: signOut,
    meta: { failed: t('signIn.signOutFailed') },
    onSuccess: loadSession,
  });
}

function useLoadSession() {
  const client = useQueryClient();
  return () => client.fetchQuery({ ...sessionQuery, staleTime: 0 });
}
