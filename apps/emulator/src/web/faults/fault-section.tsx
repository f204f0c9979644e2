import { faultDescriptions } from '@dowel/emulator/control-api';
import { NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { pluginsQuery } from '../control-queries.ts';
import { FaultItem, type FaultItemProps } from './fault-item.tsx';
import type { PlayState } from './use-play.ts';

const areas = ['token', 'trigger', 'event', 'key', 'api'] as const;

/** Every fault of the platform, to switch on or to play once. */
export function FaultSection(playing: PlayState) {
  const { t } = useTranslation();
  const installations = useQuery(pluginsQuery).data?.installations ?? [];
  const [chosenId, setChosenId] = useState<string>();
  const { pluginId } =
    installations.find((each) => each.pluginId === chosenId) ?? installations[0] ?? {};
  return (
    <Stack gap="md" component="section" aria-label={t('fault.title')}>
      <div>
        <Title order={2} size="h3">
          {t('fault.title')}
        </Title>
        <Text c="dimmed">{t('fault.lead')}</Text>
      </div>
      {installations.length === 0 && <Text>{t('fault.noPlugin')}</Text>}
      {installations.length > 1 && (
        <NativeSelect
          label={t('fault.plugin')}
          maw={360}
          data={installations.map(({ pluginId: value, name: label }) => ({ value, label }))}
          value={pluginId}
          onChange={(event) => setChosenId(event.currentTarget.value)}
        />
      )}
      {areas.map((area) => (
        <Area key={area} area={area} pluginId={pluginId} playing={playing} />
      ))}
    </Stack>
  );
}

type AreaProps = Omit<FaultItemProps, 'name'> & { area: (typeof areas)[number] };

function Area({ area, ...item }: AreaProps) {
  const { t } = useTranslation();
  const headingId = useId();
  return (
    <section className="panel" aria-labelledby={headingId}>
      <Title order={3} size="h5" id={headingId}>
        {t(`fault.area.${area}`)}
      </Title>
      <ul className="faults">
        {faultDescriptions
          .filter(({ name }) => name.startsWith(`${area}.`))
          .map(({ name }) => (
            <FaultItem key={name} name={name} {...item} />
          ))}
      </ul>
    </section>
  );
}
