import { createInstance, type i18n } from 'i18next';
import { de } from './de.ts';
import { en } from './en.ts';
import { chooseLanguage, type Language } from './language.ts';

/** One instance for each dashboard, so that tests share none. */
export function createI18n(language: Language = chooseLanguage(navigator.languages)): i18n {
  const instance = createInstance();
  void instance.init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: en }, de: { translation: de } },
    initAsync: false,
    // React escapes.
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  return instance;
}
