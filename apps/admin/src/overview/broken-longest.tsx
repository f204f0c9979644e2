import { type FleetInstallation, groupOf, stateOf, withoutAccessSince } from '@dowel/admin-api';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { type RowChanges, useFleetRow, useFleetRows } from '../api/fleet-rows.ts';
import { useFormats } from '../i18n/formats.ts';
import { Age } from '../shared/age.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ServerClock, useTicking } from '../shared/ticker.tsx';
import { nameCause } from '../states/cause.ts';
import { describeNext } from '../states/next-step.ts';
import { StateBadge } from '../states/state-badge.tsx';
import { longestQuery, shownCount } from './longest-query.ts';
import classes from './overview-page.module.css';

/** @param count the number of all broken installations. */
export function BrokenLongest({ count }: { count: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { data, error, isPending, reload } = useLongest(count);
  return (
    <section className={`card ${classes.card} ${classes.longest}`} aria-labelledby="longest-title">
      <div className={classes.cardHead}>
        <h2 id="longest-title">{t('overview.longest')}</h2>
        {count > 0 ? (
          <Link to="/installations" search={{ group: 'broken' }}>
            {t('overview.all', { number: formats.count(count) })}
          </Link>
        ) : null}
      </div>
      {count === 0 ? <p className="dimmed">{t('list.none.broken')}</p> : null}
      {count > 0 && error && !data ? (
        <QueryFailure title={t('list.failed')} error={error} onRetry={reload} />
      ) : null}
      {count > 0 && isPending ? <Skeleton height={200} radius={10} /> : null}
      {count > 0 && data && data.ids.length > 0 ? (
        <ServerClock time={data}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{t('column.tenant')}</th>
                <th scope="col">{t('column.state')}</th>
                <th scope="col">{t('column.cause')}</th>
                <th scope="col" data-number>
                  {t('column.brokenFor')}
                </th>
                <th scope="col">{t('column.next')}</th>
              </tr>
            </thead>
            <tbody>
              {data.ids.map((id) => (
                <LongestRow key={id} id={id} onLeave={reload} />
              ))}
            </tbody>
          </table>
        </ServerClock>
      ) : null}
    </section>
  );
}

/**
 * They are asked for again when another one may belong to them, and not when only the number of broken ones changes.
 */
function useLongest(count: number) {
  const rows = useFleetRows();
  const { data, error, isPending, refetch } = useQuery({
    ...longestQuery(useApi(), rows),
    enabled: count > 0,
  });
  const reload = useEffectEvent(() => void refetch());
  const onChange = useEffectEvent(({ rows: changed, isPartial }: RowChanges) => {
    const last = rows.get(data?.ids.at(-1) ?? '')?.accessEndsAt ?? Infinity;
    const isLonger = changed.some(
      ({ id, state, accessEndsAt }) =>
        groupOf(state) === 'broken' && (accessEndsAt ?? last) < last && !data?.ids.includes(id),
    );
    if (isLonger || isPartial) reload();
  });
  useEffect(() => rows.onChange(onChange), [rows]);
  const missing = data ? Math.min(count, shownCount) - data.ids.length : 0;
  useEffect(() => {
    if (missing > 0) reload();
  }, [missing]);
  return { data, error, isPending, reload: () => void refetch() };
}

interface LongestRowProps {
  id: string;
  /** It is not broken any more. */
  onLeave: () => void;
}

function LongestRow({ id, onLeave }: LongestRowProps) {
  const row = useFleetRow(id);
  const isBroken = useTicking(
    (now) => row !== undefined && groupOf(stateOf(row, now)) === 'broken',
  );
  const leave = useEffectEvent(onLeave);
  useEffect(() => {
    if (!isBroken) leave();
  }, [isBroken]);
  return row ? <LongestCells row={row} /> : null;
}

function LongestCells({ row }: { row: FleetInstallation }) {
  const { t } = useTranslation();
  const state = useTicking((now) => stateOf(row, now));
  const next = useTicking((now) => describeNext(t, state, row, now));
  const since = useTicking((now) => withoutAccessSince(row, now));
  return (
    <tr>
      <td>
        <Link to="/installations/$id" params={{ id: row.id }}>
          {row.name || row.host}
        </Link>
      </td>
      <td>
        <StateBadge state={state} />
      </td>
      <td>{nameCause(t, row.cause, state) ?? t('cause.none')}</td>
      <td data-number>{since === null ? '–' : <Age since={since} />}</td>
      <td className="dimmed numeric">{next}</td>
    </tr>
  );
}
