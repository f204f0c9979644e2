import { eraseUserRequestSchema } from '@dowel/admin-api';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useFormats } from '../i18n/formats.ts';
import { DataCard } from '../shared/data-table.tsx';
import { ReasonDialog } from '../shared/reason-dialog.tsx';

/** Erases what is stored of a user of the platform, for owners. */
export function UsersCard() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <DataCard
      title={t('people.users')}
      note={t('people.usersNote')}
      tools={
        <Button variant="default" size="xs" onClick={() => setOpen(true)}>
          {t('people.eraseUser')}
        </Button>
      }
    >
      {isOpen ? <EraseDialog onClose={() => setOpen(false)} /> : null}
    </DataCard>
  );
}

const fields = eraseUserRequestSchema.shape;

function EraseDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const formats = useFormats();
  const [user, setUser] = useState('');
  const [tenant, setTenant] = useState('');
  const userId = user.trim();
  const tenantId = tenant.trim() || undefined;

  async function perform(reason: string): Promise<string> {
    const { rows: count } = await api.eraseUser({ userId, tenantId, reason });
    return t('audit.became.erased', { count, number: formats.count(count) });
  }

  return (
    <ReasonDialog
      title={t('people.eraseUser')}
      about={t('people.users')}
      what={t('people.whatErase')}
      isComplete={
        fields.userId.safeParse(userId).success && fields.tenantId.safeParse(tenantId).success
      }
      perform={perform}
      onClose={onClose}
    >
      <TextInput
        label={t('people.userId')}
        value={user}
        onChange={({ currentTarget }) => setUser(currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label={t('people.tenantId')}
        description={t('people.tenantHint')}
        value={tenant}
        onChange={({ currentTarget }) => setTenant(currentTarget.value)}
      />
    </ReasonDialog>
  );
}
