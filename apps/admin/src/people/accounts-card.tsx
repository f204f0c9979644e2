import type { AccountList, AdminSession } from '@dowel/admin-api';
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { signInMethodsQuery } from '../api/queries.ts';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { useBrowserTicking } from '../shared/ticker.tsx';
import { type AccountChange, AccountDialog, AddAccountDialog } from './account-dialog.tsx';
import classes from './people-page.module.css';
import { accountsQuery } from './people-queries.ts';

type Account = AccountList['accounts'][number];

/** The accounts with their roles, for owners. @param own the session of the reader. */
export function AccountsCard({ own }: { own: AdminSession }) {
  const { t } = useTranslation();
  const api = useApi();
  const accounts = useQuery(accountsQuery(api));
  const hasSso = useQuery(signInMethodsQuery(api)).data?.methods.includes('oidc') ?? false;
  const [change, setChange] = useState<AccountChange>();
  const [isAdding, setAdding] = useState(false);
  return (
    <DataCard
      title={t('people.accounts')}
      note={t(hasSso ? 'people.accountsNoteSso' : 'people.accountsNote')}
      tools={
        <Button variant="default" size="xs" onClick={() => setAdding(true)}>
          {t('people.addAccount')}
        </Button>
      }
    >
      {accounts.error ? (
        <QueryFailure
          title={t('people.accountsFailed')}
          error={accounts.error}
          onRetry={() => void accounts.refetch()}
        />
      ) : null}
      {accounts.isPending ? <Skeleton height={120} radius={10} /> : null}
      {accounts.data?.accounts.length === 0 ? (
        <p className="dimmed">{t(hasSso ? 'people.noAccountsSso' : 'people.noAccounts')}</p>
      ) : null}
      {accounts.data && accounts.data.accounts.length > 0 ? (
        <DataTable
          name={t('people.accounts')}
          columns={[
            t('people.name'),
            t('people.role'),
            t('people.since'),
            t('people.password'),
            t('column.actions'),
          ]}
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
      {isAdding ? <AddAccountDialog onClose={() => setAdding(false)} /> : null}
      {change ? <AccountDialog change={change} onClose={() => setChange(undefined)} /> : null}
    </DataCard>
  );
}

interface AccountRowProps {
  account: Account;
  isOwn: boolean;
  onChange: (change: AccountChange) => void;
}

function AccountRow({ account, isOwn, onChange }: AccountRowProps) {
  const { name, role, createdAt } = account;
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
      <td data-label={t('people.password')}>
        <PasswordState account={account} />
      </td>
      <td>
        <div className={classes.actions}>
          <HinderedButton
            hindrance={undefined}
            label={t('people.newLinkOf', { name })}
            onClick={() => onChange({ kind: 'link', name, role })}
          >
            {t('people.newLink')}
          </HinderedButton>
          <HinderedButton
            hindrance={hindrance}
            label={t('people.changeRoleOf', { name })}
            onClick={() => onChange({ kind: 'role', name, role })}
          >
            {t('people.changeRole')}
          </HinderedButton>
          <HinderedButton
            hindrance={hindrance}
            label={t('people.removeOf', { name })}
            onClick={() => onChange({ kind: 'remove', name, role })}
          >
            {t('people.remove')}
          </HinderedButton>
        </div>
      </td>
    </tr>
  );
}

/** Whether the person has set a password, and the link that is open. */
function PasswordState({ account: { hasPassword, linkExpiresAt } }: { account: Account }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const isOpen = useBrowserTicking((now) => linkExpiresAt !== null && linkExpiresAt > now);
  if (linkExpiresAt !== null && isOpen) {
    const until = formats.moment(linkExpiresAt);
    return <span title={formats.exact(linkExpiresAt)}>{t('people.linkUntil', { until })}</span>;
  }
  if (hasPassword) return t('people.passwordSet');
  return t(linkExpiresAt === null ? 'people.noLink' : 'people.linkExpired');
}
