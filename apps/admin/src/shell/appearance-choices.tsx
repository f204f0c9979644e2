import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isLanguage, languages, rememberLanguage } from '../i18n/language.ts';
import classes from './appearance-choices.module.css';

const schemes = ['light', 'dark', 'auto'] as const satisfies MantineColorScheme[];

/** Colour scheme and language, both remembered by this browser. */
export function AppearanceChoices() {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();

  function choose(language: string): void {
    if (!isLanguage(language)) return;
    rememberLanguage(language);
    void i18n.changeLanguage(language);
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
          label: t('language.name', { lng: language }),
        }))}
      />
    </div>
  );
}
