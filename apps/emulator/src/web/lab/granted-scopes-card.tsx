import type { Lab } from '@dowel/emulator/control-api';
import { Switch } from '@mantine/core';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

/** Spec §1: the only scope there is. */
const knownScopes = ['plugin:notify'];

export function GrantedScopesCard({ lab }: { lab: Lab }) {
  const change = useLabChange();
  const grant = (scope: string, isGranted: boolean) => {
    const others = lab.grantedScopes.filter((granted) => granted !== scope);
    change.mutate({ change: { grantedScopes: isGranted ? [...others, scope] : others } });
  };

  return (
    <LabCard
      title="Granted scopes"
      Icon={ShieldCheck}
      tests="Withhold a scope, then install: a plug-in that needs it refuses the access_token event and the installation fails."
    >
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
