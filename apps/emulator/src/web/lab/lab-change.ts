import type { LabChange } from '@dowel/emulator/control-api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { changeLab } from '../control-client.ts';
import { labQuery, loadAgain, pluginsQuery } from '../control-queries.ts';
import { showDone } from '../toasts.ts';

interface Attempt {
  change: LabChange;
  /** The success message, unless the page itself shows the change. */
  done?: string;
}

export function useLabChange() {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change }: Attempt) => changeLab(change),
    meta: { failed: t('lab.changeFailed') },
    onSuccess: (_answer, { done }) => done && showDone(t, done),
    // This clock decides which tokens are valid.
    onSettled: () => loadAgain(client, labQuery, pluginsQuery),
  });
}
