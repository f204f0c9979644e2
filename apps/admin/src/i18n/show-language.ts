/** Loads only the texts of the shown language. */
import type { i18n } from 'i18next';
import type { en } from './en.ts';
import type { Language } from './language.ts';
import type { Texts } from './texts.ts';

const sources: Record<Language, () => Promise<Texts<typeof en>>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
};

/**
 * Shows the language, after loading its texts if this page has not used it yet.
 *
 * @throws what the import throws, without a connection for example: then the language stays what it was.
 */
export async function showLanguage(i18n: i18n, language: Language): Promise<void> {
  if (!i18n.hasResourceBundle(language, 'translation')) {
    i18n.addResourceBundle(language, 'translation', await sources[language]());
  }
  await i18n.changeLanguage(language);
}
