/** The one form of a date that a server may send (RFC 9110 §5.6.7). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long a server asks its client to wait: seconds in digits, or a date (RFC 9110 §10.2.3).
 *
 * @example
 * const waitMs = parseRetryAfter(response.headers.get('retry-after'), Date.now()) ?? 30_000;
 *
 * @param header the value of `Retry-After`.
 * @param now epoch milliseconds.
 * @returns milliseconds, 0 for a date in the past, undefined if the header is missing or malformed.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
