import type { SessionList } from '@dowel/admin-api';
import { Button, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiClient } from '../api/api-client.ts';
import { useApi } from '../api/api-context.tsx';
import { hasStatus } from '../api/api-failure.ts';
import { sessionQuery } from '../api/queries.ts';
import { useFormats } from '../i18n/formats.ts';
import { ChangePasswordDialog } from '../shared/change-password-dialog.tsx';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import classes from './people-page.module.css';
import { sessionsQuery } from './people-queries.ts';

type OperatorSession = SessionList['sessions'][number];

/** The sessions that the reader may end: their own; for an owner, all. */
export function SessionsCard({ isOwner }: { isOwner: boolean }) {
  const { t } = useTranslation();
  const api = useApi();
  const sessions = useQuery(sessionsQuery(api));
  const [ending, setEnding] = useState<readonly OperatorSession[]>([]);
  const others = (sessions.data?.sessions ?? []).filter((each) => each.isOwn && !each.isCurrent);
  const title = t(isOwner ? 'people.allSessions' : 'people.ownSessions');
  return (
    <DataCard
      title={title}
      note={t('people.sessionsNote')}
      tools={
        <>
          <ChangePasswordButton />
          {others.length > 0 ? (
            <Button variant="default" size="xs" onClick={() => setEnding(others)}>
              {t('people.endOthers')}
            </Button>
          ) : null}
        </>
      }
    >
      {sessions.error ? (
        <QueryFailure
          title={t('people.sessionsFailed')}
          error={sessions.error}
          onRetry={() => void sessions.refetch()}
        />
      ) : null}
      {sessions.isPending ? <Skeleton height={120} radius={10} /> : null}
      {sessions.data ? (
        <DataTable
          name={title}
          columns={[
            t('people.name'),
            t('people.role'),
            t('people.from'),
            t('people.signedIn'),
            t('people.lastUsed'),
            t('people.ends'),
            t('column.actions'),
          ]}
        >
          {sessions.data.sessions.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => setEnding([session])} />
          ))}
        </DataTable>
      ) : null}
      {ending.length > 0 ? <EndDialog sessions={ending} onClose={() => setEnding([])} /> : null}
    </DataCard>
  );
}

/** On a phone, where there is no sidebar. */
function ChangePasswordButton() {
  const { t } = useTranslation();
  const session = useQuery(sessionQuery(useApi())).data;
  const [isOpen, setOpen] = useState(false);
  if (session?.method !== 'password') return null;
  return (
    <>
      <Button
        className={classes.narrow ?? ''}
        variant="default"
        size="xs"
        onClick={() => setOpen(true)}
      >
        {t('password.change')}
      </Button>
      {isOpen ? <ChangePasswordDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface EndDialogProps {
  /** One, or all others of the reader. */
  sessions: readonly OperatorSession[];
  onClose: () => void;
}

function EndDialog({ sessions, onClose }: EndDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const formats = useFormats();
  const queryClient = useQueryClient();

  async function perform(reason: string): Promise<undefined> {
    await Promise.all(sessions.map(({ id }) => endIfOpen(api, id, reason)));
    void queryClient.invalidateQueries({ queryKey: sessionsQuery(api).queryKey });
  }

  const about = sessions.map(({ name, createdAt }) => `${name}, ${formats.moment(createdAt)}`);
  return (
    <ReasonDialog
      title={t(sessions.length > 1 ? 'people.endOthers' : 'people.endSession')}
      about={about.join(' · ')}
      what={t(sessions.length > 1 ? 'people.whatEndOthers' : 'people.whatEnd')}
      perform={perform}
      onClose={onClose}
    />
  );
}

/** One that has ended meanwhile is no failure. */
async function endIfOpen(api: ApiClient, id: string, reason: string): Promise<void> {
  await api.endSession(id, reason).catch((error: unknown) => {
    if (!hasStatus(error, 404)) throw error;
  });
}

interface SessionRowProps {
  session: OperatorSession;
  onEnd: () => void;
}

function SessionRow({ session, onEnd }: SessionRowProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { name, role, method, createdAt, lastUsedAt, expiresAt, isCurrent } = session;
  const begin = formats.moment(createdAt);
  return (
    <tr>
      <td>
        <strong className="breakable">{name}</strong>{' '}
        {isCurrent ? <RoleBadge role="note">{t('people.thisOne')}</RoleBadge> : null}
      </td>
      <td>{t(`role.${role}`)}</td>
      <td data-label={t('people.from')}>
        <Origin session={session} />
      </td>
      <td title={formats.exact(createdAt)}>
        <span className="numeric">{begin}</span>, {t(`people.method.${method}`)}
      </td>
      <td className="numeric" title={formats.exact(lastUsedAt)} data-label={t('people.lastUsed')}>
        {formats.moment(lastUsedAt)}
      </td>
      <td className="numeric" title={formats.exact(expiresAt)} data-label={t('people.ends')}>
        {formats.moment(expiresAt)}
      </td>
      <td>
        {isCurrent ? (
          <span className="dimmed">{t('people.signOutInstead')}</span>
        ) : (
          <Button
            variant="default"
            size="xs"
            aria-label={t('people.endOf', { name, begin })}
            onClick={onEnd}
          >
            {t('people.end')}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Device and address of the sign-in. */
function Origin({ session: { browser, system, address } }: { session: OperatorSession }) {
  const { t } = useTranslation();
  if (address === null) return '–';
  const name = browser ?? t('people.otherBrowser');
  return (
    <>
      {system === null ? name : t('people.onSystem', { browser: name, system })}
      <div className="dimmed numeric breakable">{address}</div>
    </>
  );
}
