import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import LogOut from 'lucide-react/icons/log-out';
import { useApi } from '../api/api-context.tsx';

export function SignOutButton() {
  const api = useApi();
  const queryClient = useQueryClient();
  const router = useRouter();
  const signOut = useMutation({
    mutationFn: api.signOut,
    onSuccess: async () => {
      await router.navigate({ to: '/sign-in' });
      queryClient.clear();
    },
  });

  return (
    <>
      <Button
        variant="default"
        size="sm"
        leftSection={<LogOut size={16} aria-hidden="true" />}
        loading={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        Sign out
      </Button>
      {signOut.error ? <div role="alert">{signOut.error.message}</div> : null}
    </>
  );
}
