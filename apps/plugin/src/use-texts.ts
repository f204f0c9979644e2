import { useEffect } from 'react';
import { type Texts, textsFor } from './texts.ts';

/** The texts in the user's language, or in the browser's if the platform does not name the user's. */
export function useTexts(userLanguage?: string | null): Texts {
  const texts = textsFor(userLanguage ?? navigator.language);
  useEffect(() => {
    document.documentElement.lang = texts.language;
    document.title = texts.name;
  }, [texts]);
  return texts;
}
