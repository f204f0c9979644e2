import type { Lab } from '@dowel/emulator/control-api';
import { Switch } from '@mantine/core';
import RotateCcwKey from 'lucide-react/icons/rotate-ccw-key';
import { useTranslation } from 'react-i18next';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

export function RotationCard({ lab }: { lab: Lab }) {
  const { t } = useTranslation();
  const change = useLabChange();
  return (
    <LabCard title={t('lab.rotation.title')} Icon={RotateCcwKey} tests={t('lab.rotation.tests')}>
      <Switch
        label={t('lab.rotation.rotate')}
        checked={lab.refreshTokens === 'rotate'}
        disabled={change.isPending}
        onChange={(event) =>
          change.mutate({
            change: { refreshTokens: event.currentTarget.checked ? 'rotate' : 'repeat' },
          })
        }
      />
    </LabCard>
  );
}
