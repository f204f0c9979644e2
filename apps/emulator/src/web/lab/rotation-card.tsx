import type { Lab } from '@dowel/emulator/control-api';
import { Switch } from '@mantine/core';
import RotateCcwKey from 'lucide-react/icons/rotate-ccw-key';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

export function RotationCard({ lab }: { lab: Lab }) {
  const change = useLabChange();
  const rotate = (rotateRefreshTokens: boolean) =>
    change.mutate({
      rotateRefreshTokens,
      done: rotateRefreshTokens
        ? 'Every refresh voids the old refresh token.'
        : 'Refresh tokens stay valid after a refresh.',
    });

  return (
    <LabCard
      title="Refresh token rotation"
      Icon={RotateCcwKey}
      tests="With rotation a refresh token works once: two refreshes at the same time lose the tokens unless the plug-in starts only one."
    >
      <Switch
        label="Rotate refresh tokens"
        checked={lab.rotateRefreshTokens}
        disabled={change.isPending}
        onChange={(event) => rotate(event.currentTarget.checked)}
      />
    </LabCard>
  );
}
