import type { CallGroups } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { describeMet, nameCallReason } from '../shared/call-texts.ts';
import chips from '../shared/chips.module.css';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { exactly } from '../shared/exactly.ts';
import classes from './calls-page.module.css';
import type { CallsSearch } from './calls-search.ts';

/** So young a failure means that calls fail at this time. */
const freshMs = 120_000;
const shownHosts = 8;

type Reason = CallGroups['reasons'][number];

export interface CallGroupsProps {
  groups: CallGroups;
  search: CallsSearch;
}

/** Why calls fail, how often and for how many tenants. What fails at this time comes first. A row is a filter. */
export function CallGroupsCard({ groups, search }: CallGroupsProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { reasons, hosts, now, countedFrom } = groups;
  const isFresh = ({ lastAt }: Reason) => now - lastAt < freshMs;
  const shown = reasons.toSorted(
    (a, b) => Number(isFresh(b)) - Number(isFresh(a)) || b.calls - a.calls,
  );
  return (
    <DataCard
      title={t('calls.groups')}
      note={
        countedFrom === null
          ? t('calls.groupsNote')
          : `${t('calls.groupsNote')} ${t('calls.countedFrom', { time: formats.recent(countedFrom, now) })}`
      }
    >
      <div className={classes.groups}>
        <DataTable
          name={t('calls.groups')}
          columns={[t('calls.what'), t('calls.calls'), t('calls.tenants'), t('calls.lastAt')]}
        >
          {shown.map((each) => (
            <ReasonRow
              key={`${each.reason} ${each.status} ${each.fault}`}
              group={each}
              search={search}
              now={now}
              isFresh={isFresh(each)}
            />
          ))}
        </DataTable>
      </div>
      {hosts.length > 1 ? <HostChips hosts={hosts} search={search} /> : null}
    </DataCard>
  );
}

interface ReasonRowProps extends Pick<CallGroupsProps, 'search'> {
  group: Reason;
  now: number;
  isFresh: boolean;
}

function ReasonRow({ group, search, now, isFresh }: ReasonRowProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const own = ownFilter(group);
  const { reason, status, fault } = search;
  const isChosen = own.reason === reason && own.status === status && own.fault === fault;
  const none = { reason: undefined, status: undefined, fault: undefined };
  const met = describeMet(t, group);
  return (
    <tr data-tone={isFresh ? 'bad' : 'gone'} className={isChosen ? classes.chosen : undefined}>
      <td>
        <span className={classes.why}>
          <span className={classes.dot} aria-hidden="true" />
          <Link
            to="/calls"
            search={{ ...search, ...(isChosen ? none : own) }}
            aria-current={isChosen ? 'true' : undefined}
            activeOptions={exactly}
          >
            {nameCallReason(t, group.reason)}
            {met ? ` · ${met}` : null}
          </Link>
        </span>
      </td>
      <td className={`numeric ${classes.number}`} data-label={t('calls.calls')}>
        <strong>{formats.count(group.calls)}</strong>
      </td>
      <td className={`numeric ${classes.number}`} data-label={t('calls.tenants')}>
        {formats.count(group.installations)}
      </td>
      <td className={`numeric ${classes.last}`} data-label={t('calls.lastAt')}>
        <time dateTime={new Date(group.lastAt).toISOString()} title={formats.exact(group.lastAt)}>
          {formats.recent(group.lastAt, now)}
        </time>
      </td>
    </tr>
  );
}

function ownFilter({ reason, status, fault }: Reason) {
  return { reason, status: status ?? undefined, fault: fault ?? undefined };
}

interface HostChipsProps extends Pick<CallGroupsProps, 'search'> {
  hosts: CallGroups['hosts'];
}

function HostChips({ hosts, search }: HostChipsProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <nav aria-label={t('calls.hosts')} className={`${chips.chips} ${classes.hosts}`}>
      {hosts.slice(0, shownHosts).map(({ host, calls }) => (
        <Link
          key={host}
          to="/calls"
          search={{ ...search, host: search.host === host ? undefined : host }}
          className={chips.chip}
          aria-current={search.host === host ? 'true' : undefined}
          activeOptions={exactly}
        >
          {host} <span className={chips.count}>{formats.count(calls)}</span>
        </Link>
      ))}
    </nav>
  );
}
