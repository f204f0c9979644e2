import {
  accountNameSchema,
  type OperatorRole,
  operatorRoleSchema,
  type PasswordLink,
} from '@dowel/admin-api';
import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { signInMethodsQuery } from '../api/queries.ts';
import { useFormats } from '../i18n/formats.ts';
import { CopyableText } from '../shared/copyable-text.tsx';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import { accountsQuery, sessionsQuery } from './people-queries.ts';

export interface AccountChange {
  kind: 'role' | 'remove' | 'link';
  name: string;
  /** The role of the account now. */
  role: OperatorRole;
}

export interface AccountDialogProps {
  change: AccountChange;
  onClose: () => void;
}

/** Confirms a change of an account: another role, a link for a new password, or its removal. */
export function AccountDialog({ change: { kind, name, role }, onClose }: AccountDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const load = useLoadPeople();
  const hasSso = useQuery(signInMethodsQuery(api)).data?.methods.includes('oidc') ?? false;

  if (kind === 'role') return <RoleDialog name={name} before={role} onClose={onClose} />;
  if (kind === 'link') {
    return (
      <ReasonDialog
        title={t('people.createLink')}
        about={name}
        what={t('people.whatLink')}
        perform={async (reason) => {
          const link = await api.createPasswordLink(name, reason);
          load();
          return <LinkResult name={name} link={link} />;
        }}
        onClose={onClose}
      />
    );
  }
  const what = [t('people.whatRemove'), ...(hasSso ? [t('people.ssoStays')] : [])];
  return (
    <ReasonDialog
      title={t('people.removeAccount')}
      about={name}
      what={what.join(' ')}
      perform={async (reason) => {
        await api.removeAccount(name, reason);
        load();
        return undefined;
      }}
      onClose={onClose}
    />
  );
}

/** Adds an account, and shows the link with which its person sets the password. */
export function AddAccountDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const load = useLoadPeople();
  const [text, setText] = useState('');
  const [role, setRole] = useState<OperatorRole>('viewer');
  const name = accountNameSchema.safeParse(text).data;

  async function perform(reason: string): Promise<ReactNode> {
    if (name === undefined) return undefined;
    const link = await api.addAccount({ name, role, reason });
    load();
    return <LinkResult name={name} link={link} />;
  }

  return (
    <ReasonDialog
      title={t('people.addAccount')}
      about={t('people.accounts')}
      what={t('people.whatAdd')}
      isComplete={name !== undefined}
      perform={perform}
      onClose={onClose}
    >
      <TextInput
        label={t('people.name')}
        description={t('people.nameHint')}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        data-autofocus
      />
      <RoleSelect role={role} onChange={setRole} />
    </ReasonDialog>
  );
}

interface RoleDialogProps {
  name: string;
  before: OperatorRole;
  onClose: () => void;
}

function RoleDialog({ name, before, onClose }: RoleDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const load = useLoadPeople();
  const [role, setRole] = useState(before);
  return (
    <ReasonDialog
      title={t('people.changeRole')}
      about={name}
      what={t('people.whatRole')}
      isComplete={role !== before}
      perform={async (reason) => {
        await api.changeRole(name, { role, reason });
        load();
        return undefined;
      }}
      onClose={onClose}
    >
      <RoleSelect role={role} onChange={setRole} hasFocus />
    </ReasonDialog>
  );
}

interface RoleSelectProps {
  role: OperatorRole;
  onChange: (role: OperatorRole) => void;
  hasFocus?: boolean;
}

function RoleSelect({ role, onChange, hasFocus = false }: RoleSelectProps) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      label={t('people.role')}
      description={t(`people.may.${role}`)}
      value={role}
      onChange={({ currentTarget }) => onChange(operatorRoleSchema.parse(currentTarget.value))}
      data={operatorRoleSchema.options.map((each) => ({ value: each, label: t(`role.${each}`) }))}
      data-autofocus={hasFocus || undefined}
    />
  );
}

function LinkResult({ name, link: { url, expiresAt } }: { name: string; link: PasswordLink }) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <>
      <p>{t('people.linkDone', { name, until: formats.moment(expiresAt) })}</p>
      <CopyableText name={t('people.link')} text={url} />
    </>
  );
}

/** Returns a function that loads accounts and sessions again. */
function useLoadPeople(): () => void {
  const api = useApi();
  const queryClient = useQueryClient();
  return () => {
    void queryClient.invalidateQueries({ queryKey: accountsQuery(api).queryKey });
    void queryClient.invalidateQueries({ queryKey: sessionsQuery(api).queryKey });
  };
}
