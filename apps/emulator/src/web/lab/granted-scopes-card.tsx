import type { Lab } from '@dowel/emulator/control-api';
import { Switch } from '@mantine/core';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useTranslation } from 'react-i18next';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

/** Spec §1: the only scope there is. */
const knownScopes = ['plugin:notify'];

export function GrantedScopesCard({ lab }: { lab: Lab }) {
  const { t } = useTranslation();
  const change = useLabChange();
  const grant = (scope: string, isGranted: boolean) => {
    const others = lab.grantedScopes.filter((granted) => granted !== scope);
    change.mutate({ change: { grantedScopes: isGranted ? [...others, scope] : others } });
  };

  return (
    <LabCard title={t('lab.scopes.title')} Icon={ShieldCheck} tests={t('lab.scopes.tests')}>
      {[...new Set([...knownScopes, ...lab.grantedScopes])].map((scope) => (
        <Switch
          key={scope}
          label={scope}
          checked={lab.grantedScopes.includes(scope)}
          disabled={change.isPending}
          onChange={(event) => grant(scope, event.currentTarget.checked)}
        />
      ))}
    </LabCard>
  );
}
