import { createI18n } from '../i18n/create-i18n.ts';
import { de } from '../i18n/de.ts';
import { en } from '../i18n/en.ts';
import { chooseLanguage, type Language } from '../i18n/language.ts';

/** Creates i18n with the texts of one language. Default: the browser's language. */
export function i18nOf(language: Language = chooseLanguage(navigator.languages)) {
  return createI18n(language, { en, de }[language]);
}
