import type { SessionList } from '@dowel/admin-api';
import { Button, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import { sessionsQuery } from './people-queries.ts';

type OperatorSession = SessionList['sessions'][number];

/** The sessions that the reader may end: their own; for an owner, all. */
export function SessionsCard({ isOwner }: { isOwner: boolean }) {
  const { t } = useTranslation();
  const api = useApi();
  const sessions = useQuery(sessionsQuery(api));
  const [ending, setEnding] = useState<OperatorSession>();
  const title = t(isOwner ? 'people.allSessions' : 'people.ownSessions');
  return (
    <DataCard title={title} note={t('people.sessionsNote')}>
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
            t('people.signedIn'),
            t('people.ends'),
            t('column.actions'),
          ]}
        >
          {sessions.data.sessions.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => setEnding(session)} />
          ))}
        </DataTable>
      ) : null}
      {ending ? <EndDialog session={ending} onClose={() => setEnding(undefined)} /> : null}
    </DataCard>
  );
}

function EndDialog({ session, onClose }: { session: OperatorSession; onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const formats = useFormats();
  const queryClient = useQueryClient();

  async function perform(reason: string): Promise<undefined> {
    await api.endSession(session.id, reason);
    void queryClient.invalidateQueries({ queryKey: sessionsQuery(api).queryKey });
  }

  return (
    <ReasonDialog
      title={t('people.endSession')}
      about={`${session.name}, ${formats.moment(session.createdAt)}`}
      what={t('people.whatEnd')}
      perform={perform}
      onClose={onClose}
    />
  );
}

interface SessionRowProps {
  session: OperatorSession;
  onEnd: () => void;
}

function SessionRow({ session, onEnd }: SessionRowProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { name, role, method, createdAt, expiresAt, isCurrent } = session;
  const begin = formats.moment(createdAt);
  return (
    <tr>
      <td>
        <strong className="breakable">{name}</strong>{' '}
        {isCurrent ? <RoleBadge role="note">{t('people.thisOne')}</RoleBadge> : null}
      </td>
      <td>{t(`role.${role}`)}</td>
      <td title={formats.exact(createdAt)}>
        <span className="numeric">{begin}</span>, {t(`people.method.${method}`)}
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
