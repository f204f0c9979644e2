import { isRoleEnough } from '@dowel/admin-api';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { awaitsFirstAnswer } from '../api/awaits-first-answer.ts';
import { useRole } from '../api/use-role.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ServerClock } from '../shared/ticker.tsx';
import { CachedKeysCard } from './cached-keys-card.tsx';
import { EncryptionCard } from './encryption-card.tsx';
import classes from './keys-page.module.css';
import { keysQuery } from './keys-query.ts';
import { ShapesCard } from './shapes-card.tsx';
import { TrustCard } from './trust-card.tsx';

/** The encryption keys, the trust rules and the cached signature keys. */
export function KeysPage() {
  const { t } = useTranslation();
  usePageTitle(t('nav.keys'));
  const role = useRole();
  if (!role) return null;
  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('nav.keys')}</h1>
      {isRoleEnough(role, 'operator') ? (
        <AllKeys />
      ) : (
        <>
          <p className="dimmed">{t('trust.onlyOperators')}</p>
          <ShapesCard />
        </>
      )}
    </div>
  );
}

function AllKeys() {
  const { t } = useTranslation();
  const keys = useQuery(keysQuery(useApi()));
  if (awaitsFirstAnswer(keys)) {
    return [240, 160, 160].map((height, index) => (
      <Skeleton key={index} height={height} radius={10} />
    ));
  }
  return (
    <>
      {keys.error ? (
        <QueryFailure
          title={t('trust.failed')}
          error={keys.error}
          onRetry={() => void keys.refetch()}
        />
      ) : null}
      {keys.data ? (
        <ServerClock time={keys.data}>
          <EncryptionCard encryption={keys.data.encryption} now={keys.data.now} />
          <TrustCard rules={keys.data.rules} now={keys.data.now} />
          <CachedKeysCard keys={keys.data} />
        </ServerClock>
      ) : null}
      <ShapesCard />
    </>
  );
}
