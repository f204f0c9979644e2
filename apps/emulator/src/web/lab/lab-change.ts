import type { LabChange } from '@dowel/emulator/control-api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeLab } from '../control-client.ts';
import { labQuery, pluginsQuery } from '../control-queries.ts';
import { showDone } from '../toasts.ts';

interface Attempt {
  change: LabChange;
  /** The success message, unless the page itself shows the change. */
  done?: string;
}

export function useLabChange() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change }: Attempt) => changeLab(change),
    meta: { attempt: 'change the lab' },
    onSuccess: (_answer, { done }) => done && showDone(done),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: labQuery.queryKey }),
        // This clock decides which tokens are valid.
        client.invalidateQueries({ queryKey: pluginsQuery.queryKey }),
      ]),
  });
}
