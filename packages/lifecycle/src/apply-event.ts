/** Events that need nothing from the platform: decided and applied in one transaction. */
import type { Installation, Store, Stores } from '@dowel/installation-store';
import type { AccessTokenEvent, LifecycleEvent } from '@dowel/schema';
import { type Arrival, isDelivery, locate, record } from './delivery.ts';
import { accepted, type EventAnswer, repeatAnswer, retryLater } from './event-answer.ts';

export type PlainEvent = Exclude<LifecycleEvent, AccessTokenEvent>;

export function applyEvent(
  store: Store,
  arrival: Arrival<PlainEvent>,
  now: () => number,
): Promise<EventAnswer> {
  return store.transaction(async (stores) => {
    const delivery = await locate(stores, arrival);
    if (!isDelivery(delivery)) return delivery;
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

async function change(
  { installations }: Stores,
  event: PlainEvent,
  installation: Installation,
): Promise<void> {
  // A late uninstall of the life before leaves the new one alone.
  if (event.sub === 'uninstall' && event.iat >= installation.beganIat) {
    await installations.uninstall(installation, event.iat);
  }
  if (event.sub === 'instance_add') {
    await installations.addInstance(installation.id, event.instanceId);
  }
  if (event.sub === 'instance_remove') {
    await installations.removeInstance(installation.id, event.instanceId);
  }
}
