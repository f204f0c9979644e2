/** The language of the pages: the chosen one, or the browser's, or English. */
import { readLocalStorageValue } from '@mantine/hooks';

/** Each in its own language. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languageNames;

export const languages = Object.keys(languageNames) as Language[];

/** Where the browser keeps the choice. */
export const languageKey = 'dowel-emulator-language';

/** @param preferred the browser's languages, the best first, such as `de-AT`. */
export function chooseLanguage(preferred: readonly string[]): Language {
  const remembered = readLocalStorageValue<string>({ key: languageKey });
  return (
    [remembered, ...preferred]
      .map((tag) => String(tag).slice(0, 2).toLowerCase())
      .find(isLanguage) ?? 'en'
  );
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(languageNames, text);
}
