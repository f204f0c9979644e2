import type { TimelineEntry } from '@dowel/admin-api';
import Check from 'lucide-react/icons/check';
import Inbox from 'lucide-react/icons/inbox';
import Minus from 'lucide-react/icons/minus';
import Plus from 'lucide-react/icons/plus';
import Send from 'lucide-react/icons/send';
import Unplug from 'lucide-react/icons/unplug';
import X from 'lucide-react/icons/x';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import type { Role } from '../role-colors.ts';
import { ReasonSentence } from '../shared/reason-sentence.tsx';
import { useTicking } from '../shared/ticker.tsx';
import { EventDetails } from './event-details.tsx';
import classes from './timeline.module.css';

interface Look {
  role: Role;
  icon: typeof Check;
}

export function TimelineItem({ item }: { item: TimelineEntry }) {
  const formats = useFormats();
  const { role, icon: Icon } = lookOf(item);
  const when = useTicking((now) => formats.recent(item.at, now));
  return (
    <li className={classes.item}>
      <time
        className={classes.when}
        dateTime={new Date(item.at).toISOString()}
        title={formats.exact(item.at)}
      >
        {when}
      </time>
      <span className={classes.bullet} data-tone={role} aria-hidden="true">
        <Icon size={12} />
      </span>
      <div>
        <div className={classes.name}>
          <Name item={item} />
        </div>
        <div className={classes.detail}>
          <Detail item={item} />
        </div>
        {item.kind === 'event' && item.entry.detail ? (
          <EventDetails detail={item.entry.detail} />
        ) : null}
      </div>
      <span className={classes.duration}>
        {item.kind === 'hook' ? formats.moment(item.at) : formats.duration(item.entry.durationMs)}
      </span>
    </li>
  );
}

function lookOf(item: TimelineEntry): Look {
  if (item.kind === 'hook') {
    return { role: item.entry.state === 'parked' ? 'risk' : 'note', icon: Inbox };
  }
  if (item.entry.reason !== null) return { role: 'bad', icon: X };
  if (item.kind === 'trigger') return { role: 'note', icon: Send };
  if (item.kind !== 'event') return { role: 'ok', icon: Check };
  const icons = {
    install: Plus,
    uninstall: Unplug,
    instance_add: Plus,
    instance_remove: Minus,
    access_token: Check,
  } as const;
  const role = item.entry.event === 'access_token' ? 'ok' : 'note';
  return { role, icon: icons[item.entry.event] };
}

function Name({ item }: { item: TimelineEntry }) {
  const { t } = useTranslation();
  if (item.kind === 'hook') return t('timeline.hook', { name: item.entry.hook });
  const { reason } = item.entry;
  if (item.kind === 'event') {
    const { event } = item.entry;
    return reason === null ? t(`timeline.event.${event}`) : t('timeline.refused', { event });
  }
  const { operation } = item.entry;
  return reason === null ? t(`timeline.done.${operation}`) : t(`timeline.notDone.${operation}`);
}

function Detail({ item }: { item: TimelineEntry }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (item.kind === 'hook') {
    return t(`timeline.hookState.${item.entry.state}`, { count: item.entry.attempts });
  }
  const { reason } = item.entry;
  if (item.kind === 'event') {
    return (
      <>
        {reason === null ? null : <ReasonSentence reason={reason} />}{' '}
        {t('timeline.answered', { event: item.entry.event })} <strong>{item.entry.status}</strong>
      </>
    );
  }
  if (reason !== null) return <ReasonSentence reason={reason} />;
  const { tokenVersion } = item.entry;
  return tokenVersion === null
    ? t('timeline.taken')
    : t('timeline.tokenSet', { number: formats.count(tokenVersion) });
}
