import type { FleetDetail } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import classes from './access-bar.module.css';
import { readAccess } from './read-access.ts';

const dayMs = 24 * 60 * 60 * 1000;
const days = 7;

/** The access of the installation in the last seven days; one part for each outage. */
export function AccessBar({ detail }: { detail: FleetDetail }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const end = detail.now;
  const start = Math.max(end - days * dayMs, detail.installation.beganAt);
  const { outages, share } = readAccess(detail.outages, start, end);
  const at = (moment: number) => `${((moment - start) / Math.max(1, end - start)) * 100}%`;
  const percent = formats.percent(share);

  return (
    <section className={`card ${classes.card}`} aria-labelledby="access-title">
      <div className={classes.head}>
        <h2 id="access-title">{t('access.title')}</h2>
        <span className="dimmed">
          <strong>{percent}</strong> {t('access.ofTheTime')}
        </span>
      </div>
      <div
        className={classes.bar}
        role="img"
        aria-label={t('access.label', { percent, count: outages.length })}
      >
        {outages.map(({ id, lostAt, endedAt, cause }) => (
          <span
            key={id}
            className={classes.outage}
            title={`${formats.exact(lostAt)} · ${cause}`}
            style={{ left: at(lostAt), right: `calc(100% - ${at(endedAt)})` }}
          />
        ))}
      </div>
      <div className={classes.axis} aria-hidden="true">
        <span>{formats.moment(start)}</span>
        <span>{t('access.now')}</span>
      </div>
    </section>
  );
}
