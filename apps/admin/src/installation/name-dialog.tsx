import type { FleetDetail } from '@dowel/admin-api';
import { InputBase, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../api/use-action.ts';
import { ReasonDialog } from '../shared/reason-dialog.tsx';

/** Changes the name and the notes of an installation. */
export function NameDialog({ detail, onClose }: { detail: FleetDetail; onClose: () => void }) {
  const { t } = useTranslation();
  const { installation } = detail;
  const act = useAction(installation.id);
  const [before] = useState({ name: installation.name, notes: detail.notes });
  const [name, setName] = useState(before.name);
  const [notes, setNotes] = useState(before.notes);
  // What is left out stays as it is now: somebody may have changed it since.
  const change = {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(notes.trim() !== before.notes && { notes: notes.trim() }),
  };
  return (
    <ReasonDialog
      title={t('action.name')}
      about={installation.host}
      what={t('action.what.name')}
      isComplete={Object.keys(change).length > 0}
      command={[
        'name',
        installation.id,
        ...Object.entries(change).flatMap(([field, text]) => [`--${field}`, text]),
      ]}
      perform={(reason) => act('name', { ...change, reason })}
      onClose={onClose}
    >
      <TextInput
        label={t('identity.name')}
        value={name}
        maxLength={80}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
      {/* Without the code of Textarea that measures its height. */}
      <InputBase
        component="textarea"
        multiline
        label={t('identity.notes')}
        value={notes}
        rows={3}
        maxLength={2_000}
        onChange={({ currentTarget }) => setNotes(currentTarget.value)}
      />
    </ReasonDialog>
  );
}
