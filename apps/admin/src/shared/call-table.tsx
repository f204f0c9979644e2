import type { CallEntry } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import Check from 'lucide-react/icons/check';
import X from 'lucide-react/icons/x';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import classes from './call-table.module.css';
import { describeMet, nameCallReason, toneOfCall } from './call-texts.ts';
import { DataTable } from './data-table.tsx';
import { RoleBadge } from './role-badge.tsx';

export interface CallTableProps {
  /** The name of the table for screen readers. */
  name: string;
  calls: readonly CallEntry[];
  /** The server's clock. */
  now: number;
  /** All are of one installation, which needs no column. */
  isOfOne?: boolean;
}

/** Single calls: when, what was called, what it met, and the platform's answer. */
export function CallTable({ name, calls, now, isOfOne = false }: CallTableProps) {
  const { t } = useTranslation();
  const columns = [
    t('calls.at'),
    ...(isOfOne ? [] : [t('calls.tenant')]),
    t('calls.call'),
    t('calls.what'),
    t('calls.duration'),
    ...(isOfOne ? [] : [t('calls.request')]),
  ];
  return (
    <div className={classes.calls}>
      <DataTable name={name} columns={columns}>
        {calls.map((call) => (
          <CallRow key={call.id} call={call} now={now} isOfOne={isOfOne} />
        ))}
      </DataTable>
    </div>
  );
}

interface CallRowProps extends Pick<CallTableProps, 'now' | 'isOfOne'> {
  call: CallEntry;
}

function CallRow({ call, now, isOfOne }: CallRowProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { installation, durationMs, attempts } = call;
  return (
    <tr>
      <td className={`numeric ${classes.when}`}>
        <time dateTime={new Date(call.lastAt).toISOString()} title={formats.exact(call.lastAt)}>
          {formats.recent(call.lastAt, now)}
        </time>
      </td>
      {isOfOne ? null : (
        <td className={`breakable ${classes.tenant}`}>
          <Link to="/installations/$id" params={{ id: installation.id }}>
            {installation.name || installation.host}
          </Link>
        </td>
      )}
      <td className={`breakable ${classes.call}`}>
        <code>
          {call.method} {call.path}
        </code>
        {call.operation === null ? null : <span className={classes.note}>{call.operation}</span>}
        {call.host === null ? null : <span className={classes.note}>{call.host}</span>}
      </td>
      <td className={classes.met}>
        <Met call={call} />
      </td>
      <td className={`numeric ${classes.duration}`} data-label={t('calls.duration')}>
        {formats.duration(durationMs)}
        {attempts > 1 ? (
          <span className={classes.note}>
            {t('calls.attempts', { number: formats.count(attempts) })}
          </span>
        ) : null}
      </td>
      {isOfOne ? null : <RequestCell call={call} />}
    </tr>
  );
}

/** What finds the call in the log, and for whom it was made. */
function RequestCell({ call: { requestId, userId } }: { call: CallEntry }) {
  const { t } = useTranslation();
  return (
    <td
      className={requestId === null && userId === null ? classes.nothing : undefined}
      data-label={t('calls.request')}
    >
      {requestId === null ? (
        <span className="dimmed">–</span>
      ) : (
        <span className={`mono ${classes.id}`} title={requestId}>
          {requestId}
        </span>
      )}
      {userId === null ? null : (
        <span className={`${classes.note} ${classes.id}`} title={userId}>
          {t('calls.user', { id: userId })}
        </span>
      )}
    </td>
  );
}

function Met({ call }: { call: CallEntry }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { reason, count, answer } = call;
  const met = describeMet(t, call);
  return (
    <>
      <RoleBadge role={toneOfCall(reason)} icon={reason === null ? Check : X}>
        {nameCallReason(t, reason)}
        {met ? ` · ${met}` : null}
      </RoleBadge>{' '}
      {count > 1 ? (
        <strong className="numeric">{t('calls.times', { number: formats.count(count) })}</strong>
      ) : null}
      {answer ? (
        <q className={classes.answer} title={t('calls.answer')}>
          {answer}
        </q>
      ) : null}
    </>
  );
}
