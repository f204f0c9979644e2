import type { AuditEnding } from '@dowel/installation-store';
import { ApiError } from '../errors.ts';

/** What the audit says of a deed that threw: refused, with the words of the answer, or failed. */
export function failureOf(error: unknown): AuditEnding {
  if (error instanceof ApiError) return { result: 'refused', detail: error.message };
  return { result: 'failed', detail: 'It failed; see the log.' };
}
