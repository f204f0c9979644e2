import type { EventRecord } from '@dowel/schema';
import CircleMinus from 'lucide-react/icons/circle-minus';
import CirclePlus from 'lucide-react/icons/circle-plus';
import KeyRound from 'lucide-react/icons/key-round';
import Plug from 'lucide-react/icons/plug';
import Unplug from 'lucide-react/icons/unplug';
import { formatDuration, formatInstant } from '../shared/format-time.ts';
import { HttpStatusBadge } from '../shared/http-status-badge.tsx';
import { ReasonText } from '../shared/reason-text.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import classes from './event-timeline.module.css';

const looks = {
  install: { icon: Plug, sentence: 'The plug-in was installed.' },
  uninstall: { icon: Unplug, sentence: 'The plug-in was uninstalled; its secrets were removed.' },
  instance_add: { icon: CirclePlus, sentence: 'A widget was placed.' },
  instance_remove: { icon: CircleMinus, sentence: 'A widget was removed.' },
  access_token: { icon: KeyRound, sentence: 'The code was exchanged for an access token.' },
} as const satisfies Record<EventRecord['event'], { icon: typeof Plug; sentence: string }>;

/** Newest first. */
export function EventTimeline({ events }: { events: EventRecord[] }) {
  if (events.length === 0) return <p className={classes.none}>No event has arrived yet.</p>;
  return (
    <ol className={`reset-list ${classes.timeline}`} aria-label="Lifecycle events">
      {events.map((event) => (
        <TimelineEvent key={event.id} event={event} />
      ))}
    </ol>
  );
}

function TimelineEvent({ event }: { event: EventRecord }) {
  const { icon: Icon, sentence } = looks[event.event];
  return (
    <li className={classes.event} data-refused={event.reason === null ? undefined : true}>
      <span className={classes.bullet} aria-hidden="true">
        <Icon size={15} />
      </span>
      <div className={classes.head}>
        <span className={classes.name}>{event.event}</span>
        <HttpStatusBadge status={event.status} />
      </div>
      <div className="breakable">
        {event.reason === null ? sentence : <ReasonText reason={event.reason} />}
      </div>
      <div className={classes.when}>
        <RelativeTime at={event.receivedAt} /> · {formatInstant(event.receivedAt)} · answered in{' '}
        {formatDuration(event.durationMs)}
      </div>
    </li>
  );
}
