import type { FleetDetail } from '@dowel/schema';
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
  const [name, setName] = useState(installation.name);
  const [notes, setNotes] = useState(detail.notes);
  return (
    <ReasonDialog
      title={t('action.name')}
      about={installation.host}
      what={t('action.what.name')}
      isComplete={name.trim() !== installation.name || notes.trim() !== detail.notes}
      command={['name', installation.id, '--name', name.trim(), '--notes', notes.trim()]}
      perform={(reason) => act('name', { name: name.trim(), notes: notes.trim(), reason })}
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
