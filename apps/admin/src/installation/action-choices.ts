import {
  type ActionName,
  type FleetDetail,
  type InstallationState,
  mayAct,
  type OperatorRole,
} from '@dowel/schema';

export type OfferedAction = Extract<ActionName, 'ask' | 'refresh' | 'test' | 'pause' | 'resume'>;

/** Why an action cannot be done: a key of the texts. Undefined: it can. */
export type Hindrance = 'onlyOperators' | 'cannotAsk' | 'noRefreshToken' | 'noToken';

/** The actions of a state, the one that helps first. An uninstalled one has none. */
export function offeredActions(state: InstallationState): OfferedAction[] {
  switch (state) {
    case 'uninstalled':
    case 'install_refused':
      return [];
    case 'paused':
      return ['resume'];
    case 'awaiting':
    case 'expiring':
    case 'ran_out':
      return ['ask', 'refresh', 'test', 'pause'];
    default:
      return ['refresh', 'test', 'pause'];
  }
}

/** @param role undefined until it is known. */
export function findHindrance(
  action: OfferedAction,
  { installation, token }: Pick<FleetDetail, 'installation' | 'token'>,
  role: OperatorRole | undefined,
): Hindrance | undefined {
  if (role === undefined || !mayAct(role, action)) return 'onlyOperators';
  if (action === 'ask' && !installation.canAsk) return 'cannotAsk';
  if (action === 'refresh' && !token?.hasRefreshToken) return 'noRefreshToken';
  if (action === 'test' && !token) return 'noToken';
  return undefined;
}
