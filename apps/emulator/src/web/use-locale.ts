import { useTranslation } from 'react-i18next';

/** The locale of dates and numbers: with the browser's region if it has the page's language, such as `de-AT`. */
export function useLocale(): string {
  const { language } = useTranslation().i18n;
  return navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
}
