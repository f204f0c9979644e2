import type { ActiveFault, FaultName } from '@dowel/emulator/control-api';
import { plays } from '@dowel/emulator/plays';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { addFault, endFault } from '../control-client.ts';
import { faultsQuery, loadAgain } from '../control-queries.ts';

/** Switches a fault on for every request, or off if it is on. */
export function useFaultSwitch(name: FaultName) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (active: ActiveFault | undefined) => {
      if (active) await endFault(active.id);
      else await addFault({ name, ...plays[name].options, times: 'always' });
    },
    meta: { failed: t('fault.switchFailed') },
    onSettled: () => loadAgain(client, faultsQuery),
  });
}
