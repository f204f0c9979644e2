/**
 * The headers that are sent to the platform and returned from it. Any other header could contain a secret or change
 * the call.
 */
import { assertPlainHeaders } from '../base/option-shapes.ts';

/** Headers that a plug-in's author may set. */
const callHeaders = new Set([
  'accept',
  'accept-language',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'prefer',
  'x-request-id',
]);

/** No cookies, no proxies' own headers, nothing about the connection. */
const answerHeaders = [
  'cache-control',
  'content-language',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'link',
  'location',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'x-request-id',
  'x-total-count',
];

/** @throws TypeError that names the first header that is not allowed, and for what is no plain object */
export function readCallHeaders(
  given: Record<string, string> | undefined,
  { hasBody, traceparent }: { hasBody: boolean; traceparent?: string | undefined },
): Record<string, string> {
  return {
    accept: 'application/json',
    ...(given !== undefined && readGiven(given)),
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

function readGiven(given: Record<string, string>): Record<string, string> {
  assertPlainHeaders('The headers of platform.fetch', given);
  const headers = new Headers();
  for (const [name, value] of Object.entries<unknown>(given)) {
    if (value === undefined) continue;
    if (!callHeaders.has(name.toLowerCase())) {
      const allowed = [...callHeaders].join(', ');
      throw new TypeError(`The header ${name} cannot be set. These can: ${allowed}`);
    }
    // `null` would be sent as a text.
    if (typeof value !== 'string') throw new TypeError(`The header ${name} must be a string`);
    headers.set(name, value);
  }
  return Object.fromEntries(headers);
}

export function passAnswerHeaders(from: Headers, to: Headers): void {
  for (const name of answerHeaders) {
    const value = from.get(name);
    if (value !== null) to.set(name, value);
  }
}
