import type { Lab } from '@dowel/emulator/control-api';
import { Button, Group, NumberInput, Text } from '@mantine/core';
import Clock from 'lucide-react/icons/clock';
import { type FormEvent, useState } from 'react';
import { useNow } from '../time-ago.tsx';
import { formatOffset } from './format-offset.ts';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

/** Moves the authorization server's clock, which only goes forward. */
export function ClockCard({ lab }: { lab: Lab }) {
  const change = useLabChange();
  const advance = (advanceSeconds: number) => change.mutate({ change: { advanceSeconds } });

  return (
    <LabCard
      title="Authorization server’s clock"
      Icon={Clock}
      tests="Lets tokens run out at once: the next call meets a 401 and has to refresh. Events are still signed at real time."
    >
      <ClockFace offsetSeconds={lab.clockOffsetSeconds} />
      <Group gap="xs">
        <Button disabled={change.isPending} onClick={() => advance(300)}>
          Advance 5 minutes
        </Button>
        <Button disabled={change.isPending} onClick={() => advance(3_600)}>
          Advance 1 hour
        </Button>
      </Group>
      <CustomAdvance isBusy={change.isPending} onAdvance={(minutes) => advance(minutes * 60)} />
    </LabCard>
  );
}

function ClockFace({ offsetSeconds }: { offsetSeconds: number }) {
  const serverTime = new Date(useNow(1_000) + offsetSeconds * 1_000);
  return (
    <div className="clock-face">
      <span className="clock-time">{serverTime.toLocaleTimeString()}</span>
      <Text size="sm" component="span" role="status">
        {offsetSeconds === 0 ? 'in step with real time' : `${formatOffset(offsetSeconds)} ahead`}
      </Text>
    </div>
  );
}

interface CustomAdvanceProps {
  isBusy: boolean;
  onAdvance: (minutes: number) => void;
}

function CustomAdvance({ isBusy, onAdvance }: CustomAdvanceProps) {
  const [minutes, setMinutes] = useState<number | string>(30);
  const isUsable = typeof minutes === 'number' && minutes > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isUsable) onAdvance(minutes);
  };

  return (
    <form className="inline-form" onSubmit={submit}>
      <NumberInput
        label="Minutes to advance"
        value={minutes}
        onChange={setMinutes}
        min={1}
        max={527_040}
        allowDecimal={false}
        hideControls
      />
      <Button type="submit" variant="default" disabled={isBusy || !isUsable}>
        Advance
      </Button>
    </form>
  );
}
