import type { Installation } from '@dowel/emulator/control-api';
import { Button, Text, Title } from '@mantine/core';
import Blocks from 'lucide-react/icons/blocks';
import { useTranslation } from 'react-i18next';
import { routes } from '../hash-route.ts';
import { useLocale } from '../use-locale.ts';

/** Says what to do next: install a plug-in, or place a widget of one that is installed. */
export function NoWidgets({ installations }: { installations: readonly Installation[] }) {
  const { t } = useTranslation();
  const names = new Intl.ListFormat(useLocale()).format(installations.map(({ name }) => name));
  const isNothingInstalled = installations.length === 0;
  return (
    <section className="panel empty-state" aria-label={t('home.none')}>
      <Blocks size={44} strokeWidth={1.5} aria-hidden />
      <Title order={2} size="h3">
        {t(isNothingInstalled ? 'home.nothingInstalled' : 'home.nothingPlaced')}
      </Title>
      <Text c="dimmed" maw={440}>
        {isNothingInstalled
          ? t('home.nothingInstalledHelp')
          : t('home.nothingPlacedHelp', { names })}
      </Text>
      <Button component="a" href={routes.plugins} mt="xs">
        {t(isNothingInstalled ? 'home.install' : 'home.goToPlugins')}
      </Button>
    </section>
  );
}
