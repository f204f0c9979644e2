/** The platform's `Retry-After` in a form that can be passed on. */
import { parseRetryAfter } from '@dowel/http';

const defaultMs = 30_000;
const maxSeconds = 3_600;

/**
 * Seconds from 1 to 3600; 30 when the header is missing or malformed.
 *
 * @param now epoch milliseconds
 */
export function readRetryAfter(header: string | null, now: number): number {
  const seconds = Math.ceil((parseRetryAfter(header, now) ?? defaultMs) / 1000);
  return Math.min(maxSeconds, Math.max(1, seconds));
}
