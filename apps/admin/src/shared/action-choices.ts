import {
  type ActionName,
  actionRoles,
  type FleetDetail,
  type FleetInstallation,
  type InstallationState,
  mayAct,
  type OperatorRole,
} from '@dowel/admin-api';
import type { OfferedAction } from './action-texts.ts';

/** Why an action is impossible, as a key of the texts. Undefined: it is possible. */
export type Hindrance = 'onlyOperators' | 'onlyOwners' | 'cannotAsk' | 'noRefreshToken' | 'noToken';

/** The actions on an installation, the one that helps first. */
export function offeredActions(
  state: InstallationState,
  { otherAddress }: Pick<FleetInstallation, 'otherAddress'>,
): OfferedAction[] {
  const actions = actionsOf(state);
  return otherAddress?.isNewer ? ['end', ...actions] : actions;
}

function actionsOf(state: InstallationState): OfferedAction[] {
  switch (state) {
    case 'uninstalled':
      return ['keep', 'purge'];
    case 'install_refused':
      return ['acknowledge', 'keep', 'purge'];
    case 'paused':
      return ['resume', 'end-sessions'];
    case 'awaiting':
    case 'expiring':
    case 'ran_out':
      return ['ask', 'refresh', 'test', 'pause', 'end-sessions'];
    case 'calls_failing':
      return ['test', 'refresh', 'pause', 'end-sessions'];
    default:
      return ['refresh', 'test', 'pause', 'end-sessions'];
  }
}

/** @param role undefined until it is known. */
export function findHindrance(
  action: OfferedAction,
  { installation, token }: Pick<FleetDetail, 'installation' | 'token'>,
  role: OperatorRole | undefined,
): Hindrance | undefined {
  const missing = findMissingRole(action, role);
  if (missing) return missing;
  if (action === 'ask' && !installation.canAsk) return 'cannotAsk';
  if (action === 'refresh' && !token?.hasRefreshToken) return 'noRefreshToken';
  if (action === 'test' && !token) return 'noToken';
  return undefined;
}

/** @param role undefined until it is known. */
export function findMissingRole(
  action: ActionName,
  role: OperatorRole | undefined,
): 'onlyOperators' | 'onlyOwners' | undefined {
  if (role !== undefined && mayAct(role, action)) return undefined;
  return actionRoles[action] === 'owner' ? 'onlyOwners' : 'onlyOperators';
}
