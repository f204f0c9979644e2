/** The claims that only one kind of event has. */
import { randomUUID } from 'node:crypto';
import type { LifecycleEventName } from '@dowel/schema';
import type { JWTPayload } from 'jose';
import type { Environment } from './environment.ts';
import type { Recipient } from './prepare-event.ts';
import { accessTokenClaims } from './send-access-token-event.ts';
import type { TenantState } from './tenant-state.ts';

/** @param options.instanceId Default: a random one. */
export async function claimsOf(
  env: Environment,
  state: TenantState,
  { pluginId, manifest }: Recipient,
  {
    event,
    instanceId = randomUUID(),
  }: { event: LifecycleEventName; instanceId?: string | undefined },
): Promise<JWTPayload> {
  switch (event) {
    case 'install':
      return { certificate: (await env.signingKeys.open()).oneLinePem };
    case 'access_token':
      return manifest.apiAccess ? accessTokenClaims(state, pluginId) : {};
    case 'instance_add':
    case 'instance_remove':
      return { instanceId };
    case 'uninstall':
      return {};
  }
}
