import type { Lab } from '@dowel/emulator/control-api';
import { Button, NumberInput } from '@mantine/core';
import Timer from 'lucide-react/icons/timer';
import { type FormEvent, useState } from 'react';
import { formatOffset } from './format-offset.ts';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

export function LifetimeCard({ lab }: { lab: Lab }) {
  const change = useLabChange();
  const [seconds, setSeconds] = useState<number | string>(lab.accessTokenLifetimeSeconds);
  const isUsable = typeof seconds === 'number' && seconds > 0;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isUsable) return;
    const done = `New access tokens live ${formatOffset(seconds)}.`;
    change.mutate({ change: { accessTokenLifetimeSeconds: seconds }, done });
  };

  return (
    <LabCard
      title="Access token lifetime"
      Icon={Timer}
      tests="A short life shows whether your plug-in refreshes in time, and not too often. It counts for new tokens only."
    >
      <form className="inline-form" onSubmit={submit}>
        <NumberInput
          label="Lifetime in seconds"
          value={seconds}
          onChange={setSeconds}
          min={1}
          max={31_536_000}
          allowDecimal={false}
          hideControls
        />
        <Button type="submit" variant="default" disabled={change.isPending || !isUsable}>
          Save lifetime
        </Button>
      </form>
    </LabCard>
  );
}
