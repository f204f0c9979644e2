import type { FleetDetail, InstallationState } from '@dowel/admin-api';

export type ScopeState = 'granted' | 'notGranted' | 'unclear' | 'ended';

type Facts = Pick<FleetDetail, 'installation' | 'scopes' | 'outages'>;

/**
 * A scope is granted only if the newest answer of the platform says so and the installation lives. After an
 * answer without a needed scope, the stored ones are of an older answer, which cannot say which one is missing.
 */
export function readScope(scope: string, facts: Facts, state: InstallationState): ScopeState {
  const { requested, granted, at } = facts.scopes;
  const wasGranted = granted.includes(scope);
  if (state === 'uninstalled') return 'ended';
  if (requested.includes(scope) && findWithdrawal(facts) !== undefined) {
    const isOneOfMany = requested.length > 1 && (wasGranted || at === null);
    return isOneOfMany ? 'unclear' : 'notGranted';
  }
  if (wasGranted) return 'granted';
  // Without any tokens the platform has not named the scopes yet.
  return at === null ? 'unclear' : 'notGranted';
}

/**
 * When the platform's answers began to lack a needed scope; undefined: its newest one does not. A pause hides the
 * cause. Its outage and the latest failure stay until tokens come.
 */
export function findWithdrawal({ installation, outages }: Omit<Facts, 'scopes'>) {
  const { cause, accessEndsAt, lastFailure } = installation;
  const outage = outages.find(({ endedAt }) => endedAt === null);
  if (outage?.cause === 'scope_missing') return outage.beganAt;
  if (lastFailure?.reason === 'scope_missing') return lastFailure.at;
  return cause === 'scope_missing' ? (accessEndsAt ?? undefined) : undefined;
}
