import { useTranslation } from 'react-i18next';
import type { LiveStatus } from '../api/live-changes.ts';
import { useFormats } from '../i18n/formats.ts';
import classes from './top-bar.module.css';

/** Whether changes reach this page by themselves; if not, since when they do not. */
export function LiveIndicator({ state, cutOffAt }: LiveStatus) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <div role="status" className={classes.live} data-state={state}>
      <span className={classes.dot} aria-hidden="true" />
      {state === 'reconnecting'
        ? t('shell.cutOff', { time: formats.time(cutOffAt ?? Date.now()) })
        : t(state === 'connected' ? 'shell.live' : 'shell.connecting')}
    </div>
  );
}
