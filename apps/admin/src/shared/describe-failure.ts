import { longestKeepDays, type UndoneAction } from '@dowel/schema';
import type { TFunction } from 'i18next';
import { ApiFailure } from '../api/api-failure.ts';

/** The codes of the server that a page can meet and has its own words for. */
const codes = [
  'BAD_REQUEST',
  'SIGN_IN_REQUIRED',
  'CSRF',
  'ROLE_MISSING',
  'NOT_FOUND',
  'RUN_UNDER_WAY',
  'TOO_MANY_ATTEMPTS',
  'INTERNAL_ERROR',
  'OVERLOADED',
] as const;

/** The failure in the reader's language. Only an answer with an unknown code keeps the server's own words. */
export function describeFailure(t: TFunction, error: unknown): string {
  if (!(error instanceof ApiFailure)) return t('failure.unknown');
  const { code, status, message, undone } = error;
  if (undone) return describeUndone(t, undone);
  if (code === 'UNREACHABLE') return t('failure.unreachable');
  if (code === 'ANSWER_INVALID') {
    return status >= 400 ? t('failure.status', { status }) : t('failure.answerInvalid');
  }
  const known = codes.find((each) => each === code);
  return known ? t(`apiError.${known}`, { message }) : message;
}

/** Why an action was not done, and what to do instead. */
function describeUndone(t: TFunction, undone: UndoneAction): string {
  if (undone.code === 'ACTION_REFUSED') {
    return t(`refusal.${undone.refusal}`, { days: longestKeepDays });
  }
  return t(`actionFailure.${undone.failure}`, { reason: undone.reason ?? '–' });
}
