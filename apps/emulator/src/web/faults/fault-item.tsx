import type { FaultName } from '@dowel/emulator/control-api';
import { plays } from '@dowel/emulator/plays';
import { Button, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Play from 'lucide-react/icons/play';
import { useTranslation } from 'react-i18next';
import { faultsQuery } from '../control-queries.ts';
import { FaultText } from './fault-text.tsx';
import { PlayVerdict } from './play-verdict.tsx';
import { useFaultSwitch } from './use-fault-switch.ts';
import { type PlayState, usePlay } from './use-play.ts';

export interface FaultItemProps {
  name: FaultName;
  /** The plug-in that plays; undefined if none is installed. */
  pluginId: string | undefined;
  playing: PlayState;
}

/** One fault: what happens, what a good back end does, and whether ours did. */
export function FaultItem({ name, pluginId, playing }: FaultItemProps) {
  const { t } = useTranslation();
  const play = usePlay(playing);
  return (
    <li className="fault">
      <div className="fault-words">
        <code>{name}</code>
        <FaultText name={name} part="does" />
        <Text size="sm" c="dimmed" component="div">
          {t('fault.good')} <FaultText name={name} part="good" />
        </Text>
        {plays[name].start === 'installAgain' && <Text size="sm">{t('fault.installsAgain')}</Text>}
        {playing.play?.name === name && <PlayVerdict play={playing.play} />}
      </div>
      <div className="fault-actions">
        <FaultSwitch name={name} />
        <Button
          variant="light"
          size="xs"
          leftSection={<Play size={14} aria-hidden />}
          aria-label={t('fault.playOf', { name })}
          disabled={pluginId === undefined}
          loading={play.isPending}
          onClick={() => pluginId !== undefined && play.mutate({ name, pluginId })}
        >
          {t('fault.play')}
        </Button>
      </div>
    </li>
  );
}

/** On until it is switched off, for all plug-ins. */
function FaultSwitch({ name }: { name: FaultName }) {
  const { t } = useTranslation();
  const faults = useQuery(faultsQuery).data?.faults ?? [];
  const active = faults.find(({ fault }) => fault.name === name && fault.times === 'always');
  const change = useFaultSwitch(name);
  return (
    <>
      {active && (
        <Text size="sm" component="span">
          {t('fault.hits', { count: active.hits })}
        </Text>
      )}
      <Switch
        label={t('fault.on')}
        aria-label={t('fault.onOf', { name })}
        checked={active !== undefined}
        disabled={change.isPending}
        onChange={() => change.mutate(active)}
      />
    </>
  );
}
