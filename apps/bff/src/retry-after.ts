/** When a platform says it wants to be asked again (RFC 9110 §10.2.3), as a number that may be passed on. */

const defaultSeconds = 30;
const maxSeconds = 3_600;
/** The one form of a date that a server may send (RFC 9110 §5.6.7). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Seconds from 1 to 3600; 30 when the header is missing or makes no sense.
 *
 * @param now epoch milliseconds
 */
export function readRetryAfter(header: string | null, now: number): number {
  const seconds = secondsOf(header?.trim() ?? '', now);
  if (!Number.isFinite(seconds)) return defaultSeconds;
  return Math.min(maxSeconds, Math.max(1, Math.ceil(seconds)));
}

function secondsOf(text: string, now: number): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return httpDate.test(text) ? (Date.parse(text) - now) / 1000 : Number.NaN;
}
