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
    // React escapes markup.
    interpolation: { escape: isolateDirection },
    returnNull: false,
  });
  return instance;
}

/** Letters that are written from right to left, and characters that change the direction of a text. */
const changesDirection = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/** A name must not turn the sentence around it, so such a value gets the characters FSI and PDI. */
function isolateDirection(value: string): string {
  return changesDirection.test(value) ? `\u2068${value}\u2069` : value;
}
