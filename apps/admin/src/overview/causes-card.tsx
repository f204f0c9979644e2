import type { Fleet } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { isCallReason } from '../shared/call-texts.ts';
import { nameReasons } from '../states/cause.ts';
import classes from './overview-page.module.css';

/** The causes with their counts, the most frequent first. */
export function CausesCard({ causes }: { causes: Fleet['causes'] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const names = nameReasons(
    t,
    causes.map(({ cause }) => cause),
  );
  const most = Math.max(1, ...causes.map(({ count }) => count));
  return (
    <section className={`card ${classes.card}`} aria-labelledby="causes-title">
      <h2 id="causes-title">{t('overview.byCause')}</h2>
      {causes.length === 0 ? <p className="dimmed">{t('overview.noCause')}</p> : null}
      <ul className="reset-list">
        {causes.map(({ cause, count }) => (
          <li key={cause} className={classes.cause}>
            <span>
              <Link to="/installations" search={{ cause }} title={cause}>
                {names.get(cause)}
              </Link>
              {isCallReason(cause) ? (
                <Link to="/calls" search={{ reason: cause }} className={classes.calls}>
                  {t('calls.show')}
                </Link>
              ) : null}
            </span>
            <strong className="numeric">{formats.count(count)}</strong>
            <div className={classes.bar} aria-hidden="true">
              <div style={{ width: `${(count / most) * 100}%` }} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
