/** The language of the dashboard: the chosen one, or the browser's, or English. */
import { readPreference, savePreference } from '../preferences.ts';

export const languages = ['en', 'de'] as const;

/** Each in its own language. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const;

export type Language = (typeof languages)[number];

const key = 'dowel-language';

export function isLanguage(text: unknown): text is Language {
  return languages.some((language) => language === text);
}

/** @param preferred the browser's languages, the best first, such as `de-AT`. */
export function chooseLanguage(preferred: readonly string[]): Language {
  const remembered = readPreference(key);
  if (isLanguage(remembered)) return remembered;
  return preferred.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';
}

export function rememberLanguage(language: Language): void {
  savePreference(key, language);
}
