/** An event with its answer in words. Secrets are masked already. */
import { plain } from '@dowel/conformance';
import type { Exchange } from '@dowel/emulator';

/** Returns lines for a terminal: the request with header and claims of its JWT, and the answer. */
export function describeExchange(exchange: Exchange): string {
  const { method, url, jwt, status, answer, at, answeredAt, fault } = exchange;
  const request = jwt
    ? ['header', jwt.header, 'claims', jwt.claims].map(indent)
    : [indent(exchange.body)];
  const ms = `${(answeredAt ?? at) - at} ms`;
  return plain(
    [
      `${method} ${url}${fault === null ? '' : ` (fault ${fault})`}`,
      ...request,
      status === null ? `no answer after ${ms}` : `${status} after ${ms}`,
      ...(answer
        ? [answer.headers['content-type'] ?? 'no content type', answer.body].map(indent)
        : []),
    ].join('\n'),
  );
}

function indent(part: unknown): string {
  const text = typeof part === 'string' ? part : JSON.stringify(part, undefined, 2);
  return `  ${text.replaceAll('\n', '\n  ')}`;
}

/** Says whether the back end has accepted what was sent, and what a good one does. */
export function describeVerdict(
  exchanges: readonly Exchange[],
  { isExpired, hasForeignKey }: { isExpired: boolean; hasForeignKey: boolean },
): string {
  const refused = exchanges.find(({ error }) => error !== null);
  const isGood = refused?.error?.code === 'REFUSED';
  const lines = [refused?.error ? describeRefusal(refused.error) : 'Accepted.'];
  if (isExpired)
    lines.push(`${isGood ? 'Right' : 'Wrong'}: the event has expired, so it must be refused.`);
  if (hasForeignKey) {
    lines.push(
      `${isGood ? 'Right' : 'Wrong'}: a foreign key has signed the event, so it must be refused.`,
    );
  }
  const answers = new Set(exchanges.map(({ status, answer }) => `${status} ${answer?.body}`));
  if (answers.size > 1) lines.push('Wrong: each copy must get the answer to the first one.');
  else if (exchanges.length > 1) lines.push('Right: each copy got the same answer.');
  return plain(lines.join('\n'));
}

function describeRefusal({ code, message }: NonNullable<Exchange['error']>): string {
  return `${code === 'NO_RESPONSE' ? 'Not answered' : 'Refused'}: ${message}.`;
}
