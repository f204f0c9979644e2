/** The language that the operator chose is kept by the server, for every browser. */
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { sessionQuery } from '../api/queries.ts';
import { type Language, rememberLanguage } from '../i18n/language.ts';
import { showLanguage } from '../i18n/show-language.ts';

/** The key of a choice that the server has not stored; null: it has. */
const unstoredKey = ['unstored language'] as const;

/** Shows the language that the operator chose last, also in another browser. */
export function useOperatorLanguage(): void {
  const { i18n } = useTranslation();
  const language = useQuery(sessionQuery(useApi())).data?.language;
  const { data: unstored } = useQuery<Language | null>({
    queryKey: unstoredKey,
    queryFn: skipToken,
  });
  useEffect(() => {
    if (!language || language === i18n.language || unstored === i18n.language) return;
    // Without its texts the page keeps the language that it has.
    showLanguage(i18n, language).then(
      () => rememberLanguage(language),
      () => undefined,
    );
  }, [i18n, language, unstored]);
}

/** Stores the chosen language. If that fails, only this browser remembers it. */
export function useStoreLanguage(): (language: Language) => void {
  const api = useApi();
  const queryClient = useQueryClient();
  return (language) => {
    const { queryKey } = sessionQuery(api);
    queryClient.setQueryData(queryKey, (session) => session && { ...session, language });
    const note = (unstored: Language | null) => queryClient.setQueryData(unstoredKey, unstored);
    api.chooseLanguage(language).then(
      () => note(null),
      () => note(language),
    );
  };
}
