import { type FleetInstallation, stateOf, withoutAccessSince } from '@dowel/schema';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useFormats } from '../i18n/formats.ts';
import { Age } from '../shared/age.tsx';
import { ServerClock, useTicking } from '../shared/ticker.tsx';
import { causeOf } from '../states/cause.ts';
import { describeNext } from '../states/next-step.ts';
import { StateBadge } from '../states/state-badge.tsx';
import { longestQuery } from './longest-query.ts';
import classes from './overview-page.module.css';

/** @param count how many are broken in all. */
export function BrokenLongest({ count }: { count: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { data } = useQuery(longestQuery(useApi(), count));
  return (
    <section className={`card ${classes.card}`} aria-labelledby="longest-title">
      <div className={classes.cardHead}>
        <h2 id="longest-title">{t('overview.longest')}</h2>
        {count > 0 ? (
          <Link to="/installations" search={{ group: 'broken' }}>
            {t('overview.all', { number: formats.count(count) })}
          </Link>
        ) : null}
      </div>
      {count === 0 ? <p className="dimmed">{t('list.none.broken')}</p> : null}
      {data && data.installations.length > 0 ? (
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
              {data.installations.map((row) => (
                <LongestRow key={row.id} row={row} />
              ))}
            </tbody>
          </table>
        </ServerClock>
      ) : null}
    </section>
  );
}

function LongestRow({ row }: { row: FleetInstallation }) {
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
      <td>{t(`cause.${causeOf(row.cause, state) ?? 'none'}`)}</td>
      <td data-number>{since === null ? '–' : <Age since={since} />}</td>
      <td className="dimmed numeric">{next}</td>
    </tr>
  );
}
