import { type OperatorRole, operatorRoleSchema } from '@dowel/admin-api';
import { NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import { accountsQuery, sessionsQuery } from './people-queries.ts';

export interface AccountChange {
  kind: 'role' | 'remove';
  name: string;
  /** The role of the account now. */
  role: OperatorRole;
}

export interface AccountDialogProps {
  change: AccountChange;
  onClose: () => void;
}

/** Confirms another role of an account, or its removal. */
export function AccountDialog({
  change: { kind, name, role: before },
  onClose,
}: AccountDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const [role, setRole] = useState(before);

  async function perform(reason: string): Promise<undefined> {
    await (kind === 'role'
      ? api.changeRole(name, { role, reason })
      : api.removeAccount(name, reason));
    void queryClient.invalidateQueries({ queryKey: accountsQuery(api).queryKey });
    void queryClient.invalidateQueries({ queryKey: sessionsQuery(api).queryKey });
  }

  const frame = { about: name, perform, onClose };
  if (kind === 'remove') {
    return (
      <ReasonDialog {...frame} title={t('people.removeAccount')} what={t('people.whatRemove')} />
    );
  }
  return (
    <ReasonDialog
      {...frame}
      title={t('people.changeRole')}
      what={t('people.whatRole')}
      isComplete={role !== before}
    >
      <NativeSelect
        label={t('people.role')}
        description={t(`people.may.${role}`)}
        value={role}
        onChange={({ currentTarget }) => setRole(operatorRoleSchema.parse(currentTarget.value))}
        data={operatorRoleSchema.options.map((each) => ({
          value: each,
          label: t(`role.${each}`),
        }))}
        data-autofocus
      />
    </ReasonDialog>
  );
}
