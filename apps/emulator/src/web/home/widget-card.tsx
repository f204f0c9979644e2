import type { Installation, Instance } from '@dowel/emulator/control-api';
import { ActionIcon, Text, Title, Tooltip } from '@mantine/core';
import RotateCw from 'lucide-react/icons/rotate-cw';
import Settings from 'lucide-react/icons/settings';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PluginTile } from '../plugin-tile.tsx';
import { ConfigureDialog } from './configure-dialog.tsx';
import { WidgetFrame } from './widget-frame.tsx';

export interface WidgetCardProps {
  installation: Installation;
  instance: Instance;
}

/** One placed widget, as a card of the intranet's page. */
export function WidgetCard({ installation, instance }: WidgetCardProps) {
  const { t } = useTranslation();
  const headingId = useId();
  const [loads, setLoads] = useState(0);
  const [isConfiguring, setIsConfiguring] = useState(false);
  const { title } = instance;
  const reload = () => setLoads((count) => count + 1);

  return (
    <section className="panel widget-card" aria-labelledby={headingId}>
      <div className="widget-card-head">
        <PluginTile name={installation.name} size={32} />
        <div className="widget-card-words">
          <Title order={2} size="h4" id={headingId}>
            {title}
          </Title>
          {title !== installation.name && (
            <Text size="sm" c="dimmed">
              {installation.name}
            </Text>
          )}
        </div>
        {instance.configUrl !== null && (
          <CardAction
            label={t('widget.configure')}
            name={t('widget.configureOf', { title })}
            onClick={() => setIsConfiguring(true)}
          >
            <Settings size={17} aria-hidden />
          </CardAction>
        )}
        <CardAction
          label={t('widget.reload')}
          name={t('widget.reloadOf', { title })}
          onClick={reload}
        >
          <RotateCw size={17} aria-hidden />
        </CardAction>
      </div>
      <WidgetFrame
        key={loads}
        instanceId={instance.instanceId}
        src={instance.src}
        view="main"
        url={instance.url}
        height={instance.height}
        title={installation.name}
      />
      <ConfigureDialog
        installation={installation}
        instance={instance}
        opened={isConfiguring}
        onClose={() => setIsConfiguring(false)}
        onSaved={reload}
      />
    </section>
  );
}

interface CardActionProps {
  label: string;
  /** With the widget's title, because each widget has such a button. */
  name: string;
  onClick: () => void;
  children: React.ReactNode;
}

function CardAction({ label, name, onClick, children }: CardActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={name} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
