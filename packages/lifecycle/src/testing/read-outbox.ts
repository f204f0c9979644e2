/** The changes that a plug-in's hooks receive from an outbox, in the order of delivery. */
import type { HookChange, Store, Stores } from '@dowel/installation-store';

/** Writes each change to the outbox. */
export async function appendChange({ hooks }: Stores, change: HookChange): Promise<void> {
  await hooks.append(change);
}

/** Delivers all that waits. */
export async function readOutbox(store: Store): Promise<Pick<HookChange, 'event' | 'data'>[]> {
  const told: Pick<HookChange, 'event' | 'data'>[] = [];
  const claim = { owner: 'test', limit: 100, leaseMs: 60_000, except: [], handles: () => true };
  while ((await store.hooks.findDueInMs([])) === 0) {
    const { claimed } = await store.hooks.claim(claim);
    for (const each of claimed) {
      told.push({ event: each.event, data: each.data });
      await store.hooks.settle(each, { state: 'delivered' });
    }
  }
  return told;
}
