/**
 * Signs an event and sends it to the manifest's URL. Events that the platform does not wait for are sent again a few
 * times if they are not answered.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LifecycleEventName } from '@dowel/schema';
import type { JWTPayload } from 'jose';
import { changeMembers } from './change-members.ts';
import type { Environment } from './environment.ts';
import type { ExchangeRecord } from './exchange-log.ts';
import type { Fault, FaultName } from './fault-schema.ts';
import { prepareEvent, type Recipient, type UnsentEvent } from './prepare-event.ts';
import { isPresent, type TenantState } from './tenant-state.ts';

/** `install` and `uninstall` meet the others. */
const sendingFaults: readonly FaultName[] = [
  'event.repeated',
  'event.late',
  'event.claims',
  'event.clock',
  'event.keyRotated',
];

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
  const { pluginId } = recipient;
  const { tenantId } = state.tenant;
  const delivery = await sendUnchanged(env, { tenantId, pluginId, event }, unsent);
  const stillHolds = () => holds(state, recipient, { ...claims, sub: event });
  if (resentEvents.includes(event)) {
    void resendWhileUnanswered(env, delivery, { prepare, stillHolds });
  }
  return delivery;
}

/** With the fault that it meets. Resolves with the first delivery. */
export async function sendUnchanged(
  env: Environment,
  { event, ...key }: { tenantId: string; pluginId: string; event: LifecycleEventName },
  { send, sign, claims }: UnsentEvent,
): Promise<ExchangeRecord> {
  const fault = env.faults.take('event', { ...key, on: event }, sendingFaults)?.fault;
  switch (fault?.name) {
    case 'event.repeated':
      return sendCopies(fault, send, await sign());
    case 'event.late': {
      const { until } = fault;
      const comes = until
        ? env.exchanges.next({ ...key, kind: 'event', event: until })
        : sleep(fault.ms, undefined, { ref: false, signal: env.closed }).catch(() => undefined);
      const jwt = await sign();
      await comes;
      return send({ jwt, fault: fault.name });
    }
    case 'event.claims':
      return send({ jwt: await sign({ claims: changesOf(claims, fault) }), fault: fault.name });
    case 'event.clock': {
      const { iat = 0, exp = 0 } = claims;
      const { seconds } = fault;
      return send({ claims: { iat: iat + seconds, exp: exp + seconds }, fault: fault.name });
    }
    case 'event.keyRotated':
      await env.signingKeys.rotate();
      return send({ fault: fault.name });
    default:
      return send();
  }
}

/** The answer to the first one counts. */
async function sendCopies(
  { name, copies, atOnce, signedAgain }: Extract<Fault, { name: 'event.repeated' }>,
  send: UnsentEvent['send'],
  jwt: string,
): Promise<ExchangeRecord> {
  const sendCopy = () =>
    send(signedAgain ? { claims: { jti: randomUUID() }, fault: name } : { jwt, fault: name });
  const first = send({ jwt, fault: name });
  const all: Promise<unknown>[] = [first];
  for (let index = 0; index < copies; index += 1) {
    if (!atOnce) await all.at(-1);
    all.push(sendCopy());
  }
  await Promise.all(all);
  return first;
}

/** A claim that is left out is undefined. */
function changesOf(
  claims: JWTPayload,
  fault: Extract<Fault, { name: 'event.claims' }>,
): Record<string, unknown> {
  const missing = Object.fromEntries(Object.keys(claims).map((name) => [name, undefined]));
  return { ...missing, ...changeMembers(claims, fault) };
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
