import { ToneBadge } from './tone-badge.tsx';

/** The answer to an event: 2xx accepted, 5xx will be sent again, others refused. */
export function HttpStatusBadge({ status }: { status: number }) {
  const tone = status < 300 ? 'ok' : status >= 500 ? 'waiting' : 'bad';
  return <ToneBadge tone={tone}>{status}</ToneBadge>;
}
