import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isLanguage, languageNames, languages, rememberLanguage } from '../i18n/language.ts';
import { showLanguage } from '../i18n/show-language.ts';
import { Segments } from '../shared/segments.tsx';
import classes from './appearance-choices.module.css';
import { useStoreLanguage } from './use-operator-language.ts';

const schemes = ['light', 'dark', 'auto'] as const satisfies MantineColorScheme[];

/** Colour scheme and language, both remembered by this browser; the language also by the server. */
export function AppearanceChoices() {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isMissing, setMissing] = useState(false);
  const storeLanguage = useStoreLanguage();

  function choose(language: string): void {
    if (!isLanguage(language)) return;
    showLanguage(i18n, language).then(
      () => {
        rememberLanguage(language);
        storeLanguage(language);
        setMissing(false);
      },
      () => setMissing(true),
    );
  }

  return (
    <div className={classes.choices}>
      <span className={classes.label}>{t('shell.scheme')}</span>
      <Segments
        label={t('shell.scheme')}
        value={colorScheme}
        onChange={setColorScheme}
        choices={schemes.map((scheme) => ({ value: scheme, label: t(`shell.${scheme}`) }))}
      />
      <span className={classes.label}>{t('language.title')}</span>
      <Segments
        label={t('language.title')}
        value={i18n.language}
        onChange={choose}
        choices={languages.map((language) => ({
          value: language,
          label: languageNames[language],
        }))}
      />
      {isMissing ? (
        <span className={classes.failure} role="alert">
          {t('language.notLoaded')}
        </span>
      ) : null}
    </div>
  );
}
