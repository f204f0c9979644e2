import type { TFunction } from 'i18next';
import { ApiFailure } from '../api/api-failure.ts';

/** The failure in the reader's language. An answer of the server keeps the server's own words. */
export function describeFailure(t: TFunction, error: unknown): string {
  if (!(error instanceof ApiFailure)) return t('failure.unknown');
  if (error.code === 'UNREACHABLE') return t('failure.unreachable');
  if (error.code !== 'ANSWER_INVALID') return error.message;
  return error.status >= 400
    ? t('failure.status', { status: error.status })
    : t('failure.answerInvalid');
}
