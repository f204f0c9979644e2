import type { Exchange, ExchangeKind } from '@dowel/emulator';
import type { DevLine, Say } from '../dev-line.ts';

/** What is worth a line, and who says it. */
const sources: Partial<Record<ExchangeKind, DevLine['from']>> = {
  event: 'event',
  code: 'token',
  refresh: 'token',
  trigger: 'token',
  api: 'platform',
};

/** Says one request between platform and back end, with its answer. Secrets are masked already. */
export function sayExchange(say: Say, exchange: Exchange): void {
  const { kind, event, method, url, status, error, at, answeredAt } = exchange;
  const from = sources[kind];
  if (!from) return;
  const name = event ?? (kind === 'api' ? `${method} ${new URL(url).pathname}` : kind);
  const answer = [status ?? 'no answer', error?.message].filter(Boolean).join(' ');
  say(from, `${name} → ${answer}`, {
    level: error ? 'error' : 'info',
    ...(answeredAt !== null && { ms: answeredAt - at }),
  });
}
