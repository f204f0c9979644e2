import type { FleetInstallation } from '@dowel/admin-api';
import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { fleetKey, listKey } from '../api/queries.ts';
import { ReasonDialog } from './reason-dialog.tsx';

export interface PurgeDialogProps {
  installation: FleetInstallation;
  onClose: () => void;
}

/** Deletes the record forever after its name is typed. Then the list is shown instead of its page, which is gone. */
export function PurgeDialog({ installation, onClose }: PurgeDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [typed, setTyped] = useState('');
  const name = installation.name || installation.host;

  async function perform(reason: string): Promise<undefined> {
    const { id } = installation;
    await api.act(id, 'purge', { name, reason });
    void queryClient.resetQueries({ queryKey: listKey });
    void queryClient.invalidateQueries({ queryKey: fleetKey });
    // An operator who has gone on meanwhile stays where they are.
    const isShown = router.matchRoute({ to: '/installations/$id', params: { id } });
    if (isShown) await router.navigate({ to: '/installations' });
  }

  return (
    <ReasonDialog
      title={t('action.purge')}
      about={name}
      what={t('action.what.purge')}
      isComplete={typed.trim() === name}
      command={['purge', installation.id, '--name', name]}
      perform={perform}
      onClose={onClose}
    >
      <TextInput
        label={t('action.typeName')}
        description={name}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
    </ReasonDialog>
  );
}
