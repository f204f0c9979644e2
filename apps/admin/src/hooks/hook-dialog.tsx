import type { ParkedHookEntry } from '@dowel/admin-api';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { fleetKey } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import { hooksQuery } from './hooks-query.ts';

export interface HookAction {
  action: 'replay-hook' | 'drop-hook';
  delivery: ParkedHookEntry;
}

/** Confirms that a parked delivery runs again, or never again. */
export function HookDialog({ chosen, onClose }: { chosen: HookAction; onClose: () => void }) {
  const { t } = useTranslation();
  const { queryKey } = hooksQuery(useApi());
  const queryClient = useQueryClient();
  const { action, delivery } = chosen;
  const { installation, hook, id: hookId } = delivery;
  const act = useAction(installation.id);
  const isReplay = action === 'replay-hook';

  async function perform(reason: string): Promise<string> {
    try {
      return await act(action, { hookId, reason });
    } finally {
      // After a refusal, somebody else may have handled the delivery.
      void queryClient.invalidateQueries({ queryKey });
      void queryClient.invalidateQueries({ queryKey: fleetKey });
    }
  }

  return (
    <ReasonDialog
      title={t(isReplay ? 'hooks.replay' : 'hooks.drop')}
      about={`${hook} · ${installation.name || installation.host}`}
      what={t(isReplay ? 'hooks.whatReplay' : 'hooks.whatDrop')}
      command={[action, installation.id, '--hook', hookId]}
      perform={perform}
      onClose={onClose}
    />
  );
}
