import type { Lab, WireForms } from '@dowel/emulator/control-api';
import { NativeSelect, Switch } from '@mantine/core';
import Shapes from 'lucide-react/icons/shapes';
import { useTranslation } from 'react-i18next';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

const srcForms = [
  'composed',
  'instance',
  'plugin-id',
  'opaque',
] as const satisfies WireForms['src'][];

export function FormsCard({ lab: { forms } }: { lab: Lab }) {
  const { t } = useTranslation();
  const change = useLabChange();
  const set = (changed: Partial<WireForms>) => change.mutate({ change: { forms: changed } });
  return (
    <LabCard title={t('lab.forms.title')} Icon={Shapes} tests={t('lab.forms.tests')}>
      <NativeSelect
        label={t('lab.forms.src')}
        data={srcForms.map((value) => ({ value, label: t(`lab.forms.${value}`) }))}
        value={forms.src}
        disabled={change.isPending}
        onChange={(event) => set({ src: event.currentTarget.value as WireForms['src'] })}
      />
      <Switch
        label={t('lab.forms.baseUrl')}
        checked={forms.baseUrl === 'other-host'}
        disabled={change.isPending}
        onChange={(event) =>
          set({ baseUrl: event.currentTarget.checked ? 'other-host' : 'issuer' })
        }
      />
      <Switch
        label={t('lab.forms.trigger')}
        checked={forms.trigger === 'uri'}
        disabled={change.isPending}
        onChange={(event) => set({ trigger: event.currentTarget.checked ? 'uri' : 'path' })}
      />
      <Switch
        label={t('lab.forms.extraClaims')}
        checked={forms.extraClaims}
        disabled={change.isPending}
        onChange={(event) => set({ extraClaims: event.currentTarget.checked })}
      />
    </LabCard>
  );
}
