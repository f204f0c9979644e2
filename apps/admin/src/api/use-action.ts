import type { ActionName, ActionRequest } from '@dowel/schema';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';
import { installationKey } from './queries.ts';

/** Acts on an installation, then loads its page again. @returns what was done in the server's words. */
export function useAction(id: string) {
  const api = useApi();
  const queryClient = useQueryClient();
  return async <Name extends ActionName>(
    action: Name,
    request: ActionRequest<Name>,
  ): Promise<string> => {
    try {
      return (await api.act(id, action, request)).message;
    } finally {
      void queryClient.invalidateQueries({ queryKey: installationKey(id) });
    }
  };
}
