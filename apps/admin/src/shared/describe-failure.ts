import {
  type ActionFailure,
  type ActionRefusal,
  longestKeepDays,
  type UndoneAction,
} from '@dowel/admin-api';
import type { TFunction } from 'i18next';
import { ApiFailure } from '../api/api-failure.ts';

/** The server's codes that have texts in the dashboard. */
const codes = [
  'BAD_REQUEST',
  'SIGN_IN_REQUIRED',
  'CSRF',
  'PASSWORD_WRONG',
  'ROLE_MISSING',
  'NOT_FOUND',
  'ACCOUNT_EXISTS',
  'RUN_UNDER_WAY',
  'TOO_MANY_ATTEMPTS',
  'INTERNAL_ERROR',
  'OVERLOADED',
  'EXPORT_UNDER_WAY',
] as const;

/** The failure in the reader's language. For an unknown code, the server's text is shown. */
export function describeFailure(t: TFunction, error: unknown): string {
  const description = describeCause(t, error);
  // The audit has what was refused, under its own number.
  if (!(error instanceof ApiFailure) || error.undone || !error.requestId) return description;
  return `${description} ${t('failure.requestId', { requestId: error.requestId })}`;
}

function describeCause(t: TFunction, error: unknown): string {
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

/** Why an action was refused, and what to do instead. */
export function describeRefusal(t: TFunction, { refusal }: Pick<ActionRefusal, 'refusal'>): string {
  return t(`refusal.${refusal}`, { days: longestKeepDays });
}

/** Why an action failed, and what to do instead. */
export function describeTry(
  t: TFunction,
  { failure, reason = '–' }: Pick<ActionFailure, 'failure' | 'reason'>,
): string {
  return t(`actionFailure.${failure}`, { reason });
}
