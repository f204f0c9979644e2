import type { Lab, WireForms } from '@dowel/emulator/control-api';
import { NativeSelect, Switch } from '@mantine/core';
import Shapes from 'lucide-react/icons/shapes';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

const srcForms: { value: WireForms['src']; label: string }[] = [
  { value: 'composed', label: 'Tenant and instance: <tenant>_<instance>' },
  { value: 'instance', label: 'The instance alone' },
  { value: 'plugin-id', label: 'Tenant and plug-in: <tenant>_<plug-in>' },
  { value: 'opaque', label: 'A text without any id' },
];

export function FormsCard({ lab: { forms } }: { lab: Lab }) {
  const change = useLabChange();
  const set = (changed: Partial<WireForms>) => change.mutate({ change: { forms: changed } });
  return (
    <LabCard
      title="Forms of messages"
      Icon={Shapes}
      tests="The public documents leave some forms open. A plug-in that relies on one of them fails on a platform that uses another."
    >
      <NativeSelect
        label="The src of a widget's page"
        data={srcForms}
        value={forms.src}
        disabled={change.isPending}
        onChange={(event) => set({ src: event.currentTarget.value as WireForms['src'] })}
      />
      <Switch
        label="base_url names another host than iss"
        checked={forms.baseUrl === 'other-host'}
        disabled={change.isPending}
        onChange={(event) =>
          set({ baseUrl: event.currentTarget.checked ? 'other-host' : 'issuer' })
        }
      />
      <Switch
        label="trigger_event in its older spelling: uri, absolute"
        checked={forms.trigger === 'uri'}
        disabled={change.isPending}
        onChange={(event) => set({ trigger: event.currentTarget.checked ? 'uri' : 'path' })}
      />
      <Switch
        label="Events and init JWTs have claims that nobody knows"
        checked={forms.extraClaims}
        disabled={change.isPending}
        onChange={(event) => set({ extraClaims: event.currentTarget.checked })}
      />
    </LabCard>
  );
}
