/** The caller, from the verified session and never from the call's input. */
import type { FoundPluginSession, Installation } from '@dowel/installation-store';

/** One plug-in in one tenant. `id` is ours; tenant and plug-in are unique only with their issuer. */
export type InstallationIdentity = Pick<
  Installation,
  'id' | 'issuer' | 'tenantId' | 'pluginId' | 'generation'
>;

export interface User {
  /** The platform's id, unique in its tenant. */
  id: string;
}

export interface Caller {
  user: User;
  /** The placed widget whose page calls. */
  instanceId: string;
  installation: InstallationIdentity;
}

export function callerOf(session: FoundPluginSession): Caller {
  const { userId, instanceId, installationId, issuer, tenantId, pluginId, generation } = session;
  return {
    user: { id: userId },
    instanceId,
    installation: { id: installationId, issuer, tenantId, pluginId, generation },
  };
}
