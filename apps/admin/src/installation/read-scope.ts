import type { FleetDetail, InstallationState } from '@dowel/schema';

export type ScopeState = 'granted' | 'notGranted' | 'unclear' | 'ended';

/**
 * A scope is granted only if the newest answer of the platform says so and the installation lives. After an
 * answer without a needed scope, the stored ones are of an older answer, which cannot say which one is missing.
 */
export function readScope(
  scope: string,
  { installation, scopes }: Pick<FleetDetail, 'installation' | 'scopes'>,
  state: InstallationState,
): ScopeState {
  const wasGranted = scopes.granted.includes(scope);
  if (state === 'uninstalled') return 'ended';
  if (installation.cause === 'scope_missing' && scopes.requested.includes(scope)) {
    return wasGranted && scopes.requested.length > 1 ? 'unclear' : 'notGranted';
  }
  if (wasGranted) return 'granted';
  return state === 'pending' ? 'unclear' : 'notGranted';
}
