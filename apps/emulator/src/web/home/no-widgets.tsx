import type { Installation } from '@dowel/emulator/control-api';
import { Button, Text, Title } from '@mantine/core';
import Blocks from 'lucide-react/icons/blocks';
import { routes } from '../hash-route.ts';

/** Says what to do next: install a plug-in, or place a widget of one that is installed. */
export function NoWidgets({ installations }: { installations: readonly Installation[] }) {
  const isNothingInstalled = installations.length === 0;
  return (
    <section className="panel empty-state" aria-label="No widgets">
      <Blocks size={44} strokeWidth={1.5} aria-hidden />
      <Title order={2} size="h3">
        {isNothingInstalled ? 'No plug-in is installed' : 'No widget is placed'}
      </Title>
      <Text c="dimmed" maw={440}>
        {isNothingInstalled
          ? 'Start your plug-in’s back end, then give the address of its manifest on the Plug-ins page. Its widget shows up here as soon as you place it.'
          : `${names(installations)} can show a widget here. Place it on the Plug-ins page.`}
      </Text>
      <Button component="a" href={routes.plugins} mt="xs">
        {isNothingInstalled ? 'Install a plug-in' : 'Go to Plug-ins'}
      </Button>
    </section>
  );
}

function names(installations: readonly Installation[]): string {
  return new Intl.ListFormat('en').format(installations.map(({ name }) => name));
}
