import { describe, expect, it } from 'vitest';
import { ControlError } from './control-client.ts';
import { describeError } from './describe-error.ts';
import { createI18n } from './i18n/create-i18n.ts';
import type { Language } from './i18n/language.ts';

function describeIn(language: Language, code: string): string {
  const error = new ControlError({ code, message: 'It broke' }, { status: 422 });
  return describeError(createI18n(language).t, error);
}

describe('a failed call is put into words', () => {
  it.each([
    ['en', 'ALREADY_INSTALLED', 'This plug-in id is taken (ALREADY_INSTALLED)'],
    ['de', 'ALREADY_INSTALLED', 'Die ID dieses Plug-ins ist schon vergeben (ALREADY_INSTALLED)'],
    ['en', 'REFUSED', 'It broke (REFUSED)'],
    ['de', 'REFUSED', 'Das Plug-in hat ein Ereignis abgelehnt: „It broke“ (REFUSED)'],
    ['de', 'SOMETHING_ELSE', 'Der Emulator meldet: „It broke“ (SOMETHING_ELSE)'],
  ] as const)('%s, %s', (language, code, words) => {
    expect(describeIn(language, code)).toBe(words);
  });
});
