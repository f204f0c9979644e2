import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { awaitsFirstAnswer } from '../api/awaits-first-answer.ts';
import { sessionQuery } from '../api/queries.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { AccountsCard } from './accounts-card.tsx';
import classes from './people-page.module.css';
import { accountsQuery, sessionsQuery } from './people-queries.ts';
import { SessionsCard } from './sessions-card.tsx';
import { UsersCard } from './users-card.tsx';

/** The accounts with their roles, the open sessions, and for owners the erasure of a user. */
export function PeoplePage() {
  const { t } = useTranslation();
  usePageTitle(t('people.title'));
  const api = useApi();
  const session = useQuery(sessionQuery(api)).data;
  const isOwner = session?.role === 'owner';
  const accounts = useQuery({ ...accountsQuery(api), enabled: isOwner });
  const sessions = useQuery(sessionsQuery(api));
  if (!session) return null;
  // Cards that grow one after the other would push those below.
  const isLoading = (isOwner && awaitsFirstAnswer(accounts)) || awaitsFirstAnswer(sessions);
  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('people.title')}</h1>
      {isOwner ? null : <p className="dimmed">{t('people.onlyOwners')}</p>}
      {isLoading ? (
        <Skeleton height={420} radius={10} />
      ) : (
        <>
          {isOwner ? <AccountsCard own={session} /> : null}
          <SessionsCard isOwner={isOwner} />
          {isOwner ? <UsersCard /> : null}
        </>
      )}
    </div>
  );
}
