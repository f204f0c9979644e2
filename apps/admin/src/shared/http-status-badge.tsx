import { ToneBadge } from './tone-badge.tsx';

/** What an event was answered with: 2xx accepted, 5xx to be sent again, the rest refused. */
export function HttpStatusBadge({ status }: { status: number }) {
  const tone = status < 300 ? 'ok' : status >= 500 ? 'waiting' : 'bad';
  return <ToneBadge tone={tone}>{status}</ToneBadge>;
}
