import type { Installation, Instance } from '@dowel/emulator/control-api';
import { ActionIcon, Text, Title, Tooltip } from '@mantine/core';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { useId, useState } from 'react';
import { PluginTile } from '../plugin-tile.tsx';
import { WidgetFrame } from './widget-frame.tsx';

export interface WidgetCardProps {
  installation: Installation;
  instance: Instance;
}

/** One placed widget, as a card of the intranet's page. */
export function WidgetCard({ installation, instance }: WidgetCardProps) {
  const headingId = useId();
  const [loads, setLoads] = useState(0);
  const reloadLabel = `Reload widget ${instance.title}`;

  return (
    <section className="panel widget-card" aria-labelledby={headingId}>
      <div className="widget-card-head">
        <PluginTile name={installation.name} size={32} />
        <div className="widget-card-words">
          <Title order={2} size="h4" id={headingId}>
            {instance.title}
          </Title>
          {instance.title !== installation.name && (
            <Text size="sm" c="dimmed">
              {installation.name}
            </Text>
          )}
        </div>
        <Tooltip label="Reload widget">
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={reloadLabel}
            onClick={() => setLoads(loads + 1)}
          >
            <RotateCw size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      <WidgetFrame key={loads} instance={instance} title={installation.name} />
    </section>
  );
}
