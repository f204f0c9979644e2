import type { Lab } from '@dowel/emulator/control-api';
import { Button, Group, NumberInput, Text } from '@mantine/core';
import Clock from 'lucide-react/icons/clock';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNow } from '../time-ago.tsx';
import { useLocale } from '../use-locale.ts';
import { formatOffset } from './format-offset.ts';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

/** Moves the authorization server's clock, both ways, and back to real time. */
export function ClockCard({ lab: { clockOffsetSeconds } }: { lab: Lab }) {
  const { t } = useTranslation();
  const change = useLabChange();
  const setOffset = (seconds: number) => change.mutate({ change: { clockOffsetSeconds: seconds } });
  const move = (seconds: number) => setOffset(clockOffsetSeconds + seconds);

  return (
    <LabCard title={t('lab.clock.title')} Icon={Clock} tests={t('lab.clock.tests')}>
      <ClockFace offsetSeconds={clockOffsetSeconds} />
      <Group gap="xs">
        <Button disabled={change.isPending} onClick={() => move(300)}>
          {t('lab.clock.fiveMinutes')}
        </Button>
        <Button disabled={change.isPending} onClick={() => move(3_600)}>
          {t('lab.clock.oneHour')}
        </Button>
        <Button
          variant="default"
          disabled={change.isPending || clockOffsetSeconds === 0}
          onClick={() => setOffset(0)}
        >
          {t('lab.clock.reset')}
        </Button>
      </Group>
      <CustomMove isBusy={change.isPending} onMove={(minutes) => move(minutes * 60)} />
    </LabCard>
  );
}

function ClockFace({ offsetSeconds }: { offsetSeconds: number }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const serverTime = new Date(useNow(1_000) + offsetSeconds * 1_000);
  return (
    <div className="clock-face">
      <span className="clock-time">{serverTime.toLocaleTimeString(locale)}</span>
      <Text size="sm" component="span" role="status">
        {offsetSeconds === 0
          ? t('lab.clock.inStep')
          : t(offsetSeconds > 0 ? 'lab.clock.ahead' : 'lab.clock.behind', {
              offset: formatOffset(locale, Math.abs(offsetSeconds)),
            })}
      </Text>
    </div>
  );
}

interface CustomMoveProps {
  isBusy: boolean;
  /** A negative number sets it back. */
  onMove: (minutes: number) => void;
}

function CustomMove({ isBusy, onMove }: CustomMoveProps) {
  const { t } = useTranslation();
  const [minutes, setMinutes] = useState<number | string>(30);
  const isUsable = typeof minutes === 'number' && minutes > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isUsable) onMove(minutes);
  };

  return (
    <form className="inline-form" onSubmit={submit}>
      <NumberInput
        label={t('lab.clock.minutes')}
        value={minutes}
        onChange={setMinutes}
        min={1}
        max={527_040}
        allowDecimal={false}
        hideControls
      />
      <Button type="submit" variant="default" disabled={isBusy || !isUsable}>
        {t('lab.clock.advance')}
      </Button>
      <Button
        variant="default"
        disabled={isBusy || !isUsable}
        onClick={() => isUsable && onMove(-minutes)}
      >
        {t('lab.clock.setBack')}
      </Button>
    </form>
  );
}
