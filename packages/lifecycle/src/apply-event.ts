/** Events that need nothing from the platform: decided and applied in one transaction. */
import type { ApplyChange, Installation, Store, Stores } from '@dowel/installation-store';
import type {
  AccessTokenEvent,
  InstanceAddEvent,
  InstanceRemoveEvent,
  LifecycleEvent,
} from '@dowel/schema';
import {
  announceInstall,
  announceInstance,
  announceUninstall,
  type ChangeOptions,
} from './announce-changes.ts';
import { type Arrival, isDelivery, keyOf, locate, record } from './delivery.ts';
import { accepted, type EventAnswer, refuse, repeatAnswer, retryLater } from './event-answer.ts';
import type { ClaimContext } from './event-claim.ts';

export type PlainEvent = Exclude<LifecycleEvent, AccessTokenEvent>;

type ApplyContext = Pick<ClaimContext, 'store' | 'now' | 'plugin' | 'apiOrigins'> & ChangeOptions;

export function applyEvent(
  context: ApplyContext,
  arrival: Arrival<PlainEvent>,
): Promise<EventAnswer> {
  const { store, now, plugin } = context;
  const life = { plugin, awaitsAdmission: false };
  return store.transaction(async (stores) => {
    const delivery = await locate(context, stores, { arrival, life });
    if (!isDelivery(delivery)) {
      if (delivery.reason === 'after_uninstall') await noteLateRemoval(stores, arrival.event);
      return delivery;
    }
    const { event, installation } = delivery;
    const key = { installationId: installation.id, digest: arrival.digest };
    if (!(await stores.inbox.decide(key, accepted, now()))) {
      const verdict = await stores.inbox.findVerdict(key);
      return verdict ? repeatAnswer(verdict) : retryLater('in_progress');
    }
    await change(context, stores, { event, installation });
    return record(stores, delivery, accepted, now());
  });
}

/**
 * Instances outlive an uninstall (docs/decisions/0014), so the next life must know of each removal, also
 * of a late one.
 */
async function noteLateRemoval({ installations }: Stores, event: PlainEvent): Promise<void> {
  if (event.sub !== 'instance_remove') return;
  const ended = await installations.find(keyOf(event));
  if (ended) await installations.removeInstance(ended.id, event.instanceId, event.iat);
}

interface Applied {
  event: PlainEvent;
  /** The installation before the event. */
  installation: Installation;
}

async function change(
  context: ApplyContext,
  stores: Stores,
  { event, installation }: Applied,
): Promise<void> {
  switch (event.sub) {
    case 'install':
      return beginUse(context, stores, installation);
    case 'uninstall':
      return endLife(context, stores, { event, installation });
    case 'instance_add':
    case 'instance_remove':
      return changeInstance(context, stores, { event, installation });
  }
}

/** A plug-in without `beforeInstall` also lets in a life that an earlier version of it was asked about. */
async function beginUse(
  context: ApplyContext,
  stores: Stores,
  installation: Installation,
): Promise<void> {
  const { id, generation, awaitsAdmission } = installation;
  if (awaitsAdmission) await stores.usability.admit(id, generation);
  await announceInstall(context, stores, installation);
}

async function endLife(
  context: Pick<ChangeOptions, 'applied'>,
  stores: Stores,
  { event, installation }: { event: Pick<PlainEvent, 'iat'>; installation: Installation },
): Promise<void> {
  const ended = await stores.installations.uninstall(installation, event.iat);
  const codes = { signedBy: event.iat, withAccepted: ended.status === 'uninstalled' };
  await stores.inbox.retireCodes(ended.id, refuse('after_uninstall'), codes);
  await announceUninstall(context, stores, { before: installation, after: ended });
}

/**
 * Ends an installation as an uninstall would, because an operator wants it: its secrets and sessions are deleted, and
 * its hooks are told. An event that the platform signs later begins its next life.
 *
 * @param now epoch milliseconds
 * @returns false: it had ended before, or is unknown.
 */
export function endInstallation(
  { store, applied }: { store: Pick<Store, 'transaction'>; applied?: ApplyChange | undefined },
  id: string,
  now: number,
): Promise<boolean> {
  return store.transaction(async (stores) => {
    const installation = await stores.installations.get(id);
    if (!installation || installation.status === 'uninstalled') return false;
    const { beganIat, appliedIat } = installation;
    // The clock of the platform may be ahead.
    const iat = Math.max(Math.floor(now / 1_000), beganIat, appliedIat ?? 0);
    await endLife({ applied }, stores, { event: { iat }, installation });
    return true;
  });
}

async function changeInstance(
  context: ApplyContext,
  stores: Stores,
  {
    event: { sub, instanceId, iat },
    installation,
  }: { event: InstanceAddEvent | InstanceRemoveEvent; installation: Installation },
): Promise<void> {
  const isAdded = sub === 'instance_add';
  const write = isAdded ? stores.installations.addInstance : stores.installations.removeInstance;
  if (!(await write(installation.id, instanceId, iat))) return;
  const event = isAdded ? 'instanceAdded' : 'instanceRemoved';
  await announceInstance(context, stores, { ...installation, event, data: { instanceId } });
}
