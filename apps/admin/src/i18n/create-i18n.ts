import { createInstance, type i18n } from 'i18next';
import type { en } from './en.ts';
import type { Language } from './language.ts';
import type { Texts } from './texts.ts';

/**
 * Creates an instance for each dashboard, so tests share none.
 *
 * @param texts of the language. Default: `showLanguage` loads them before anything is rendered.
 */
export function createI18n(language: Language, texts?: Texts<typeof en>): i18n {
  const instance = createInstance();
  void instance.init({
    lng: language,
    // Only one language is loaded, and a test compares their keys.
    fallbackLng: false,
    resources: texts ? { [language]: { translation: texts } } : {},
    initAsync: false,
    // React escapes.
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  return instance;
}
