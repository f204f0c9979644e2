import type { Installation } from '@dowel/emulator/control-api';
import { Button, Group, Text, Title } from '@mantine/core';
import Plus from 'lucide-react/icons/plus';
import { useTranslation } from 'react-i18next';
import { usePlaceWidget, useRemoveWidget } from './plugin-mutations.ts';

/** The widgets that are placed, and the entry points of which more can be placed. */
export function WidgetList({ installation }: { installation: Installation }) {
  const { t } = useTranslation();
  const { instances } = installation;
  return (
    <div>
      <Title order={4} size="h6" mb={6}>
        {t('installation.widgets')}
      </Title>
      {instances.length === 0 && (
        <Text size="sm" c="dimmed" mb="xs">
          {t('installation.noWidgets')}
        </Text>
      )}
      <PlacedWidgets installation={installation} />
      <PlaceButtons installation={installation} />
    </div>
  );
}

function PlacedWidgets({ installation }: { installation: Installation }) {
  const { t } = useTranslation();
  const remove = useRemoveWidget(installation);
  if (installation.instances.length === 0) return null;
  return (
    <ul className="widget-list">
      {installation.instances.map(({ instanceId, title }) => (
        <li key={instanceId}>
          <span>{title}</span>
          <Text span size="xs" c="dimmed" ff="monospace">
            {instanceId.slice(0, 8)}
          </Text>
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            loading={remove.isPending && remove.variables === instanceId}
            onClick={() => remove.mutate(instanceId)}
          >
            {t('installation.remove')}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function PlaceButtons({ installation }: { installation: Installation }) {
  const { t } = useTranslation();
  const place = usePlaceWidget(installation);
  const isOnlyOne = installation.entryPoints.length === 1;
  return (
    <Group gap="xs">
      {installation.entryPoints.map(({ id, name }) => (
        <Button
          key={id}
          variant="light"
          size="sm"
          leftSection={<Plus size={16} aria-hidden />}
          loading={place.isPending && place.variables === id}
          onClick={() => place.mutate(id)}
        >
          {isOnlyOne ? t('installation.place') : t('installation.placeOf', { name })}
        </Button>
      ))}
    </Group>
  );
}
