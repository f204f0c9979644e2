import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { sessionQuery } from '../api/queries.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { AccountsCard } from './accounts-card.tsx';
import classes from './people-page.module.css';
import { SessionsCard } from './sessions-card.tsx';
import { UsersCard } from './users-card.tsx';

/** The accounts with their roles, the open sessions, and for owners the erasure of a user. */
export function PeoplePage() {
  const { t } = useTranslation();
  usePageTitle(t('people.title'));
  const session = useQuery(sessionQuery(useApi())).data;
  if (!session) return null;
  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('people.title')}</h1>
      {session.role === 'owner' ? (
        <AccountsCard own={session} />
      ) : (
        <p className="dimmed">{t('people.onlyOwners')}</p>
      )}
      <SessionsCard isOwner={session.role === 'owner'} />
      {session.role === 'owner' ? <UsersCard /> : null}
    </div>
  );
}
