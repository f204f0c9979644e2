import { groupOf, type InstallationState } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { RoleBadge } from '../shared/role-badge.tsx';
import { groupRoles, stateIcons } from './state-looks.ts';

export function StateBadge({ state }: { state: InstallationState }) {
  const { t } = useTranslation();
  return (
    <RoleBadge
      role={groupRoles[groupOf(state)]}
      icon={stateIcons[state]}
      isOutline={state === 'idle'}
    >
      {t(`state.${state}.badge`)}
    </RoleBadge>
  );
}
