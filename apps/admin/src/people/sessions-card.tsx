import type { SessionList } from '@dowel/schema';
import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import { sessionsQuery } from './people-queries.ts';

type OperatorSession = SessionList['sessions'][number];

/** The sessions that the reader may end: the own ones; for an owner, those of all. */
export function SessionsCard({ isOwner }: { isOwner: boolean }) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const sessions = useQuery(sessionsQuery(api));
  const end = useMutation({
    mutationFn: api.endSession,
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsQuery(api).queryKey }),
  });
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
      {end.error ? (
        <QueryFailure
          title={t('people.endFailed')}
          error={end.error}
          onRetry={() => end.mutate(end.variables)}
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
            <SessionRow
              key={session.id}
              session={session}
              isEnding={end.isPending && end.variables === session.id}
              onEnd={() => end.mutate(session.id)}
            />
          ))}
        </DataTable>
      ) : null}
    </DataCard>
  );
}

interface SessionRowProps {
  session: OperatorSession;
  isEnding: boolean;
  onEnd: () => void;
}

function SessionRow({ session, isEnding, onEnd }: SessionRowProps) {
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
            loading={isEnding}
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
