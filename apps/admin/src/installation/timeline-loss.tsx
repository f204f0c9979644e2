import type { FleetDetail } from '@dowel/admin-api';
import X from 'lucide-react/icons/x';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { useTicking } from '../shared/ticker.tsx';
import classes from './timeline.module.css';

/**
 * When this life lost its access last. Null: it never had any, or a token has lived through the trouble.
 *
 * @param now the server's clock, epoch milliseconds.
 */
export function findLoss(
  { outages: [outage], scopes, installation }: FleetDetail,
  now: number,
): number | null {
  if (!outage || scopes.at === null || outage.generation !== installation.generation) return null;
  const { accessEndsAt, endedAt } = outage;
  return accessEndsAt <= now && accessEndsAt < (endedAt ?? Infinity) ? accessEndsAt : null;
}

/** The moment itself: it need not be that of an entry, such as when a token ends that cannot be renewed. */
export function TimelineLoss({ at }: { at: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const when = useTicking((now) => formats.recent(at, now));
  return (
    <li className={classes.item}>
      <time
        className={classes.when}
        dateTime={new Date(at).toISOString()}
        title={formats.exact(at)}
      >
        {when}
      </time>
      <span className={classes.bullet} data-tone="bad" aria-hidden="true">
        <X size={12} />
      </span>
      <strong data-tone="bad" className={classes.lost}>
        {t('timeline.lost')}
      </strong>
    </li>
  );
}
