import type { ActionName, ActionRequest } from '@dowel/admin-api';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { useApi } from './api-context.tsx';
import { describeEffect } from './describe-effect.ts';
import { installationKey } from './queries.ts';

/** Acts on an installation, then loads its page again. @returns what was done, in words. */
export function useAction(id: string) {
  const api = useApi();
  const queryClient = useQueryClient();
  const { t } = useTranslation();
  const formats = useFormats();
  return async <Name extends ActionName>(
    action: Name,
    request: ActionRequest<Name>,
  ): Promise<string> => {
    try {
      return describeEffect(t, formats, await api.act(id, action, request));
    } finally {
      void queryClient.invalidateQueries({ queryKey: installationKey(id) });
    }
  };
}
