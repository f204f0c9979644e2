import type { Delivery } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { DeliveryAnswer } from './delivery-answer.tsx';
import classes from './events-page.module.css';
import { parseEventsSearch } from './events-search.ts';

/** One line of the list. Its event opens the details. */
export function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { id, at, event, plugin, durationMs } = delivery;
  return (
    <tr>
      <td className="numeric">
        <time dateTime={new Date(at).toISOString()} title={formats.exact(at)}>
          {formats.day(at)} {formats.time(at)}
        </time>
      </td>
      <td>
        <Link to="/events" search={(before) => parseEventsSearch({ ...before, delivery: id })}>
          {t(`events.kind.${event}`)}
        </Link>
        {plugin ? <span className={classes.note}>{t('events.toPlugin', { plugin })}</span> : null}
      </td>
      <td className="breakable">
        <DeliveryTenant delivery={delivery} />
      </td>
      <td>
        <DeliveryAnswer delivery={delivery} />
      </td>
      <td className={`numeric ${classes.number}`}>
        {durationMs === null ? '–' : formats.duration(durationMs)}
      </td>
    </tr>
  );
}

/** A link if the installation is known. A host that nothing proves is marked. */
export function DeliveryTenant({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const { installationId, name, host, isVerified } = delivery;
  if (installationId !== null) {
    return (
      <Link to="/installations/$id" params={{ id: installationId }}>
        {name || host}
      </Link>
    );
  }
  if (!host) return <span className="dimmed">{t('events.noIssuer')}</span>;
  return (
    <>
      {host}
      {isVerified ? null : <span className={classes.note}>{t('events.claimed')}</span>}
    </>
  );
}
