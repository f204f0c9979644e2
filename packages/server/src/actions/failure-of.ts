import { type AuditEnding, failedEnding } from '@dowel/installation-store';
import { ApiError } from '../base/errors.ts';
import { RefusedActionError } from './refused-action-error.ts';

/** What the audit says of an action that threw: refused, with the words of the answer, or failed. */
export function failureOf(error: unknown): AuditEnding {
  if (!(error instanceof ApiError)) return failedEnding;
  const ending = { result: 'refused', detail: error.message } as const;
  return error instanceof RefusedActionError ? { ...ending, meaning: error.meaning } : ending;
}
