/** Events that need nothing from the platform: decided and applied in one transaction. */
import type { Installation, Store, Stores } from '@dowel/installation-store';
import type { AccessTokenEvent, LifecycleEvent } from '@dowel/schema';
import { type Arrival, isDelivery, keyOf, locate, record } from './delivery.ts';
import { accepted, type EventAnswer, refuse, repeatAnswer, retryLater } from './event-answer.ts';

export type PlainEvent = Exclude<LifecycleEvent, AccessTokenEvent>;

export function applyEvent(
  store: Store,
  arrival: Arrival<PlainEvent>,
  now: () => number,
): Promise<EventAnswer> {
  return store.transaction(async (stores) => {
    const delivery = await locate(stores, arrival);
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
    await change(stores, event, installation);
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

async function change(
  { installations, inbox }: Stores,
  event: PlainEvent,
  installation: Installation,
): Promise<void> {
  if (event.sub === 'uninstall') {
    const { id, status } = await installations.uninstall(installation, event.iat);
    const codes = { signedBy: event.iat, withAccepted: status === 'uninstalled' };
    await inbox.retireCodes(id, refuse('after_uninstall'), codes);
  }
  if (event.sub === 'instance_add') {
    await installations.addInstance(installation.id, event.instanceId, event.iat);
  }
  if (event.sub === 'instance_remove') {
    await installations.removeInstance(installation.id, event.instanceId, event.iat);
  }
}
