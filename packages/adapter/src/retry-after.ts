/**
 * How long an answer asks its caller to wait, in milliseconds: `Retry-After` in seconds or as a date (RFC 9110
 * §10.2.3). Undefined if it does not say, if the date is over, or if the page may not read the header.
 */
export function readRetryAfterMs(response?: Response): number | undefined {
  const text = response?.headers.get('retry-after') ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms >= 0 ? ms : undefined;
}
