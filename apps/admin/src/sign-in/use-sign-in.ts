import type { PasswordSignInRequest, SignInRequest } from '@dowel/admin-api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { ApiClient } from '../api/api-client.ts';
import { useApi } from '../api/api-context.tsx';
import { hasStatus } from '../api/api-failure.ts';
import { sessionKey } from '../api/queries.ts';
import { parseReturnAddress } from './return-address.ts';

/** A one-time code, or a name and a password. */
export type Credentials = SignInRequest | PasswordSignInRequest;

/** Signs in, then opens the page that the operator requested. */
export function useSignIn(returnTo: string | undefined) {
  const api = useApi();
  const queryClient = useQueryClient();
  const router = useRouter();

  return useMutation({
    mutationFn: (credentials: Credentials) =>
      'code' in credentials
        ? signInOrContinue(api, credentials)
        : api.signInByPassword(credentials),
    meta: { answersWrongCode: true },
    onSuccess: async (session) => {
      queryClient.setQueryData(sessionKey, session);
      const { path, query } = parseReturnAddress(returnTo);
      const search = router.options.parseSearch?.(query) ?? {};
      await router.navigate({ to: path, search, replace: true });
    },
  });
}

/** A used link still opens the dashboard while its session lasts. */
async function signInOrContinue(api: ApiClient, request: SignInRequest) {
  try {
    return await api.signIn(request);
  } catch (failure) {
    if (!hasStatus(failure, 401)) throw failure;
    return api.session().catch(() => {
      throw failure;
    });
  }
}
