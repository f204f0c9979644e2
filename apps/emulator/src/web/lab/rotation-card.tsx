import type { Lab } from '@dowel/emulator/control-api';
import { Switch } from '@mantine/core';
import RotateCcwKey from 'lucide-react/icons/rotate-ccw-key';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

export function RotationCard({ lab }: { lab: Lab }) {
  const change = useLabChange();
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
        onChange={(event) =>
          change.mutate({ change: { rotateRefreshTokens: event.currentTarget.checked } })
        }
      />
    </LabCard>
  );
}
