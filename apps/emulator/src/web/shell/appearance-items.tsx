import type { User } from '@dowel/emulator/control-api';
import { Menu, useMantineColorScheme } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import Check from 'lucide-react/icons/check';
import Languages from 'lucide-react/icons/languages';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import { useTranslation } from 'react-i18next';
import { type Language, languageKey, languageNames, languages } from '../i18n/language.ts';
import { useLocale } from '../use-locale.ts';

const schemes = [
  { value: 'light', Icon: Sun },
  { value: 'dark', Icon: Moon },
  { value: 'auto', Icon: Monitor },
] as const;

/** Colour scheme and language of the pages, both remembered by this browser. */
export function AppearanceItems({ user }: { user: User }) {
  return (
    <>
      <SchemeItems />
      <Menu.Divider />
      <LanguageItems user={user} />
    </>
  );
}

function SchemeItems() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>{t('shell.scheme')}</Menu.Label>
      {schemes.map(({ value, Icon }) => (
        <Menu.Item
          key={value}
          leftSection={<Icon size={16} aria-hidden />}
          rightSection={colorScheme === value && <ChosenMark />}
          onClick={() => setColorScheme(value)}
        >
          {t(`shell.${value}`)}
        </Menu.Item>
      ))}
    </>
  );
}

function LanguageItems({ user }: { user: User }) {
  const { t, i18n } = useTranslation();
  const [, remember] = useLocalStorage<Language>({ key: languageKey });
  const names = new Intl.DisplayNames(useLocale(), { type: 'language' });
  const choose = (language: Language) => {
    remember(language);
    void i18n.changeLanguage(language);
  };
  return (
    <>
      <Menu.Label>{t('shell.language')}</Menu.Label>
      {languages.map((language) => (
        <Menu.Item
          key={language}
          lang={language}
          leftSection={<Languages size={16} aria-hidden />}
          rightSection={i18n.language === language && <ChosenMark />}
          onClick={() => choose(language)}
        >
          {languageNames[language]}
        </Menu.Item>
      ))}
      <Menu.Label fw={400}>
        {t('shell.pluginLanguage', { language: names.of(user.language) })}
      </Menu.Label>
    </>
  );
}

function ChosenMark() {
  return <Check size={16} aria-label={useTranslation().t('shell.chosen')} />;
}
