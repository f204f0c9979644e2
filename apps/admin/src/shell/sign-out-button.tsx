import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import LogOut from 'lucide-react/icons/log-out';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { describeFailure } from '../shared/describe-failure.ts';
import classes from './foot-button.module.css';

export function SignOutButton() {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const router = useRouter();
  const signOut = useMutation({
    mutationFn: api.signOut,
    onSuccess: async ({ continueAt }) => {
      // Also signs out at the provider: otherwise the next person could sign in with one click.
      if (continueAt !== null) window.location.assign(continueAt);
      else await router.navigate({ to: '/sign-in' });
      queryClient.clear();
    },
  });

  return (
    <>
      <button
        type="button"
        className={classes.button}
        disabled={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        <LogOut size={18} aria-hidden="true" />
        {t('shell.signOut')}
      </button>
      {signOut.error ? (
        <div role="alert" className={classes.error}>
          {describeFailure(t, signOut.error)}
        </div>
      ) : null}
    </>
  );
}
