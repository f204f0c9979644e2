import { createI18n } from '../i18n/create-i18n.ts';
import { de } from '../i18n/de.ts';
import { en } from '../i18n/en.ts';
import { chooseLanguage, type Language } from '../i18n/language.ts';

/** With the texts of one language, as in a browser. Default: the browser's language. */
export function i18nOf(language: Language = chooseLanguage(navigator.languages)) {
  return createI18n(language, { en, de }[language]);
}
