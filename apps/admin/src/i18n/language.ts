/** Which language the dashboard speaks: the chosen one, else the browser's, else English. */
export const languages = ['en', 'de'] as const;

export type Language = (typeof languages)[number];

const storageKey = 'dowel-language';

export function isLanguage(text: unknown): text is Language {
  return languages.some((language) => language === text);
}

/** @param preferred the browser's languages, the best first, such as `de-AT`. */
export function chooseLanguage(storage: Storage, preferred: readonly string[]): Language {
  const remembered = readRemembered(storage);
  if (remembered) return remembered;
  return preferred.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';
}

/** A browser that refuses storage forgets the choice. */
export function rememberLanguage(storage: Storage, language: Language): void {
  try {
    storage.setItem(storageKey, language);
  } catch {
    // The choice lasts until the page is loaded again.
  }
}

function readRemembered(storage: Storage): Language | undefined {
  try {
    const text = storage.getItem(storageKey);
    return isLanguage(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
