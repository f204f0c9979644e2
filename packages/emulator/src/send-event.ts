/**
 * Signs an event and sends it to the manifest's URL. Events that the platform does not wait for are sent again a few
 * times if they are not answered.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LifecycleEventName } from '@dowel/schema';
import type { JWTPayload } from 'jose';
import type { Environment } from './environment.ts';
import type { ExchangeRecord } from './exchange-log.ts';
import { prepareEvent, type Recipient, type UnsentEvent } from './prepare-event.ts';
import { isPresent, type TenantState } from './tenant-state.ts';

const resentEvents: readonly LifecycleEventName[] = [
  'uninstall',
  'instance_add',
  'instance_remove',
];

/**
 * Resolves after the first attempt, with null when the manifest does not request the event. Never
 * rejects: a failed delivery is a result too.
 */
export async function sendEvent(
  env: Environment,
  state: TenantState,
  recipient: Recipient,
  event: LifecycleEventName,
  claims: JWTPayload = {},
): Promise<ExchangeRecord | null> {
  const prepare = () => prepareEvent(env, state, recipient, event, claims);
  const unsent = await prepare();
  if (!unsent) return null;
  const delivery = await unsent.send();
  const stillHolds = () => holds(state, recipient, { ...claims, sub: event });
  if (resentEvents.includes(event)) {
    void resendWhileUnanswered(env, delivery, { prepare, stillHolds });
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

/** Each attempt is prepared again, because the first JWT may have expired. */
async function resendWhileUnanswered(
  env: Environment,
  first: ExchangeRecord,
  {
    prepare,
    stillHolds,
  }: { prepare: () => Promise<UnsentEvent | null>; stillHolds: () => boolean },
): Promise<void> {
  let delivery: ExchangeRecord | undefined = first;
  for (const delayMs of env.resendDelaysMs) {
    if (delivery?.error?.code !== 'NO_RESPONSE') return;
    await sleep(delayMs, undefined, { ref: false, signal: env.closed }).catch(() => undefined);
    if (env.closed.aborted || !stillHolds()) return;
    delivery = await (await prepare())?.send();
  }
}
