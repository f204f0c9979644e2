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

/** Moves the authorization server's clock, which only goes forward. */
export function ClockCard({ lab }: { lab: Lab }) {
  const { t } = useTranslation();
  const change = useLabChange();
  const advance = (advanceSeconds: number) => change.mutate({ change: { advanceSeconds } });

  return (
    <LabCard title={t('lab.clock.title')} Icon={Clock} tests={t('lab.clock.tests')}>
      <ClockFace offsetSeconds={lab.clockOffsetSeconds} />
      <Group gap="xs">
        <Button disabled={change.isPending} onClick={() => advance(300)}>
          {t('lab.clock.fiveMinutes')}
        </Button>
        <Button disabled={change.isPending} onClick={() => advance(3_600)}>
          {t('lab.clock.oneHour')}
        </Button>
      </Group>
      <CustomAdvance isBusy={change.isPending} onAdvance={(minutes) => advance(minutes * 60)} />
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
          : t('lab.clock.ahead', { offset: formatOffset(locale, offsetSeconds) })}
      </Text>
    </div>
  );
}

interface CustomAdvanceProps {
  isBusy: boolean;
  onAdvance: (minutes: number) => void;
}

function CustomAdvance({ isBusy, onAdvance }: CustomAdvanceProps) {
  const { t } = useTranslation();
  const [minutes, setMinutes] = useState<number | string>(30);
  const isUsable = typeof minutes === 'number' && minutes > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isUsable) onAdvance(minutes);
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
    </form>
  );
}
