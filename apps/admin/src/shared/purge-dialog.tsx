import type { FleetInstallation } from '@dowel/schema';
import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { fleetKey, listKey } from '../api/queries.ts';
import { ReasonDialog } from './reason-dialog.tsx';

export interface PurgeDialogProps {
  installation: FleetInstallation;
  onClose: () => void;
}

/** Deletes the record forever after its name is typed. Then the list is shown, because this page no longer exists. */
export function PurgeDialog({ installation, onClose }: PurgeDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const name = installation.name || installation.host;

  async function perform(reason: string): Promise<undefined> {
    await api.act(installation.id, 'purge', { name, reason });
    void queryClient.resetQueries({ queryKey: listKey });
    void queryClient.invalidateQueries({ queryKey: fleetKey });
    await navigate({ to: '/installations' });
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
