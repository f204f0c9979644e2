import type { AccountList, AdminSession } from '@dowel/admin-api';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { type AccountChange, AccountDialog } from './account-dialog.tsx';
import { accountsQuery } from './people-queries.ts';

type Account = AccountList['accounts'][number];

/** The accounts with their roles, for owners. @param own the session of the reader. */
export function AccountsCard({ own }: { own: AdminSession }) {
  const { t } = useTranslation();
  const accounts = useQuery(accountsQuery(useApi()));
  const [change, setChange] = useState<AccountChange>();
  return (
    <DataCard title={t('people.accounts')} note={t('people.add')}>
      {accounts.error ? (
        <QueryFailure
          title={t('people.accountsFailed')}
          error={accounts.error}
          onRetry={() => void accounts.refetch()}
        />
      ) : null}
      {accounts.isPending ? <Skeleton height={120} radius={10} /> : null}
      {accounts.data?.accounts.length === 0 ? (
        <p className="dimmed">{t('people.noAccounts')}</p>
      ) : null}
      {accounts.data && accounts.data.accounts.length > 0 ? (
        <DataTable
          name={t('people.accounts')}
          columns={[t('people.name'), t('people.role'), t('people.since'), t('column.actions')]}
        >
          {accounts.data.accounts.map((account) => (
            <AccountRow
              key={account.name}
              account={account}
              isOwn={own.method === 'password' && own.name === account.name}
              onChange={setChange}
            />
          ))}
        </DataTable>
      ) : null}
      {change ? <AccountDialog change={change} onClose={() => setChange(undefined)} /> : null}
    </DataCard>
  );
}

interface AccountRowProps {
  account: Account;
  isOwn: boolean;
  onChange: (change: AccountChange) => void;
}

function AccountRow({ account: { name, role, createdAt }, isOwn, onChange }: AccountRowProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const hindrance = isOwn ? t('people.ownAccount') : undefined;
  return (
    <tr>
      <td>
        <strong className="breakable">{name}</strong>
      </td>
      <td>{t(`role.${role}`)}</td>
      <td className="numeric" data-label={t('people.since')}>
        {formats.date(createdAt)}
      </td>
      <td>
        <HinderedButton
          hindrance={hindrance}
          label={t('people.changeRoleOf', { name })}
          onClick={() => onChange({ kind: 'role', name, role })}
        >
          {t('people.changeRole')}
        </HinderedButton>{' '}
        <HinderedButton
          hindrance={hindrance}
          label={t('people.removeOf', { name })}
          onClick={() => onChange({ kind: 'remove', name, role })}
        >
          {t('people.remove')}
        </HinderedButton>
      </td>
    </tr>
  );
}
