import {
  type ActionFailure,
  type ActionRefusal,
  longestKeepDays,
  type UndoneAction,
} from '@dowel/schema';
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

function describeUndone(t: TFunction, undone: UndoneAction): string {
  return undone.code === 'ACTION_REFUSED' ? describeRefusal(t, undone) : describeTry(t, undone);
}

/** Why an action was not tried, and what to do instead. */
export function describeRefusal(t: TFunction, { refusal }: Pick<ActionRefusal, 'refusal'>): string {
  return t(`refusal.${refusal}`, { days: longestKeepDays });
}

/** Why an action that was tried had no success, and what to do instead. */
export function describeTry(
  t: TFunction,
  { failure, reason = '–' }: Pick<ActionFailure, 'failure' | 'reason'>,
): string {
  return t(`actionFailure.${failure}`, { reason });
}
