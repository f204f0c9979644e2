import { useTranslation } from 'react-i18next';
import type { LiveStatus } from '../api/live-changes.ts';
import { useFormats } from '../i18n/formats.ts';
import classes from './top-bar.module.css';

/** Shows whether the page is live; if not, since when. */
export function LiveIndicator({ live }: { live: LiveStatus }) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <div role="status" className={classes.live} data-state={live.state}>
      <span className={classes.dot} aria-hidden="true" />
      {live.state === 'reconnecting'
        ? t('shell.cutOff', { time: formats.time(live.cutOffAt) })
        : t(live.state === 'connected' ? 'shell.live' : 'shell.connecting')}
    </div>
  );
}
