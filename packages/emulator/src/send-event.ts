/**
 * Signs an event, sends it to the manifest's URL, and records each delivery. Events that the platform
 * does not wait for are sent again a few times if they are not answered.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventUrl, type LifecycleEventName, resolveUrl } from '@dowel/schema';
import type { Delivery } from './control-api.ts';
import { deliverEvent } from './deliver-event.ts';
import type { Environment } from './environment.ts';
import { extraClaims } from './extra-claims.ts';
import type { InstallationRecord } from './snapshot.ts';
import { isPresent, type TenantState } from './tenant-state.ts';

const eventLifetimeSeconds = 60;
const resentEvents: readonly LifecycleEventName[] = [
  'uninstall',
  'instance_add',
  'instance_remove',
];

type Recipient = Pick<InstallationRecord, 'pluginId' | 'manifestUrl' | 'manifest'>;

/**
 * Resolves after the first attempt, with null when the manifest does not request the event. Never
 * rejects: a failed delivery is a result too.
 */
export async function sendEvent(
  env: Environment,
  state: TenantState,
  recipient: Recipient,
  event: LifecycleEventName,
  claims: Record<string, unknown> = {},
): Promise<Delivery | null> {
  const url = urlOfEvent(recipient, event);
  if (!url) return null;
  const attempt = async () => {
    const eventJwt = await signEvent(env, state, recipient.pluginId, { ...claims, sub: event });
    const outcome = await deliverEvent(env, { event, url, eventJwt });
    const delivery = state.deliveries.add({ ...outcome, pluginId: recipient.pluginId });
    env.changes.publishPlugins(state.tenant.tenantId);
    return delivery;
  };
  const delivery = await attempt();
  const stillHolds = () => holds(state, recipient, { ...claims, sub: event });
  if (resentEvents.includes(event)) {
    void resendWhileUnanswered(env, delivery, { attempt, stillHolds });
  }
  return delivery;
}

/** False when a later event has undone what this one says. Sent again, it would be the newer one of the two. */
function holds(
  state: TenantState,
  { pluginId }: Recipient,
  { sub, instanceId }: Record<string, unknown>,
): boolean {
  if (sub === 'uninstall') return !isPresent(state, pluginId);
  const installation = state.installations.find((each) => each.pluginId === pluginId);
  if (!installation) return false;
  const isPlaced = installation.instances.some((each) => each.instanceId === instanceId);
  return isPlaced === (sub === 'instance_add');
}

/** Each attempt is signed again, because the first JWT may have expired. */
async function resendWhileUnanswered(
  env: Environment,
  first: Delivery,
  { attempt, stillHolds }: { attempt: () => Promise<Delivery>; stillHolds: () => boolean },
): Promise<void> {
  let delivery = first;
  for (const delayMs of env.resendDelaysMs) {
    if (delivery.error?.code !== 'NO_RESPONSE') return;
    await sleep(delayMs, undefined, { ref: false, signal: env.closed }).catch(() => undefined);
    if (env.closed.aborted || !stillHolds()) return;
    delivery = await attempt();
  }
}

function urlOfEvent(
  { manifest, manifestUrl }: Recipient,
  event: LifecycleEventName,
): URL | undefined {
  const { apiAccess, lifecycle } = manifest;
  if (event === 'access_token') {
    return apiAccess && eventUrl(resolveUrl(apiAccess.url, manifestUrl), event);
  }
  if (!lifecycle?.events.includes(event)) return undefined;
  return eventUrl(resolveUrl(lifecycle.url, manifestUrl), event);
}

/** Uses the real time, not the authorization server's (tenant-state.ts). */
async function signEvent(
  env: Environment,
  { tenant, lab }: TenantState,
  pluginId: string,
  claims: Record<string, unknown>,
): Promise<string> {
  const { sign } = await env.signingKeys.open();
  const iat = Math.floor(env.now() / 1000);
  return sign({
    iss: tenant.baseUrl,
    iat,
    exp: iat + eventLifetimeSeconds,
    jti: randomUUID(),
    tenantId: tenant.tenantId,
    pluginId,
    ...extraClaims(lab),
    ...claims,
  });
}
