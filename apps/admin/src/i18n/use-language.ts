import { useTranslation } from 'react-i18next';
import { isLanguage, type Language } from './language.ts';

/** The language that is shown. */
export function useLanguage(): Language {
  const { language } = useTranslation().i18n;
  return isLanguage(language) ? language : 'en';
}
