import type { TFunction } from 'i18next';
import { ControlError } from './control-client.ts';

/** An error in words, its code in brackets. The emulator's own message, in English, says what only it knows. */
export function describeError(t: TFunction, error: unknown): string {
  if (error instanceof ControlError) {
    const { code, message } = error;
    // The emulator may know more codes than these pages.
    const known = t(`failure.${code}` as 'failure.REFUSED', { message, defaultValue: '' });
    return `${known || t('failure.other', { message })} (${code})`;
  }
  return error instanceof Error ? error.message : t('failure.unknown');
}
