import { createInstance, type i18n } from 'i18next';
import { de } from './de.ts';
import { en } from './en.ts';
import { faultTexts } from './faults.ts';
import type { Language } from './language.ts';

/** Creates an instance with the texts of both languages for each page, so tests share none. */
export function createI18n(language: Language): i18n {
  const instance = createInstance();
  void instance.init({
    lng: language,
    // A test compares the keys of both.
    fallbackLng: false,
    resources: {
      en: { translation: en, faults: faultTexts.en },
      de: { translation: de, faults: faultTexts.de },
    },
    initAsync: false,
    // React escapes.
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  return instance;
}
