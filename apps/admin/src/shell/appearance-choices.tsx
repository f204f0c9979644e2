import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isLanguage, languageNames, languages, rememberLanguage } from '../i18n/language.ts';
import { showLanguage } from '../i18n/show-language.ts';
import classes from './appearance-choices.module.css';

const schemes = ['light', 'dark', 'auto'] as const satisfies MantineColorScheme[];

/** Colour scheme and language, both remembered by this browser. */
export function AppearanceChoices() {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isMissing, setMissing] = useState(false);

  function choose(language: string): void {
    if (!isLanguage(language)) return;
    showLanguage(i18n, language).then(
      () => {
        rememberLanguage(language);
        setMissing(false);
      },
      () => setMissing(true),
    );
  }

  return (
    <div className={classes.choices}>
      <span className={classes.label}>{t('shell.scheme')}</span>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t('shell.scheme')}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
        data={schemes.map((scheme) => ({ value: scheme, label: t(`shell.${scheme}`) }))}
      />
      <span className={classes.label}>{t('language.title')}</span>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t('language.title')}
        value={i18n.language}
        onChange={choose}
        data={languages.map((language) => ({
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
