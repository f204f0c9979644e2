/** A delivery as the checks write, claim and end it. */
import assert from 'node:assert/strict';
import type { HookEvent } from '../sql/tables.ts';
import type { Store } from '../store.ts';
import type { Installation } from '../stores/find-installation.ts';
import type { ClaimedHook, HookClaim } from '../stores/hook-claims.ts';

export const leaseMs = 45_000;

export const claimOf = (changes: Partial<HookClaim> = {}): HookClaim => ({
  owner: 'one',
  limit: 100,
  leaseMs,
  except: [],
  handles: () => true,
  ...changes,
});

export function append(
  store: Store,
  { id, generation }: Installation,
  event: HookEvent = 'installed',
  data = {},
) {
  return store.hooks.append({ installationId: id, generation, event, data });
}

/** The claim of one installation. The checks share a database, so others may be due as well. */
export async function claimFor(
  store: Store,
  { id }: Installation,
  changes?: Partial<HookClaim>,
): Promise<ClaimedHook | undefined> {
  const { claimed } = await store.hooks.claim(claimOf(changes));
  for (const other of claimed.filter(({ installationId }) => installationId !== id)) {
    await store.hooks.settle(other, { state: 'delivered' });
  }
  return claimed.find(({ installationId }) => installationId === id);
}

export async function mustClaim(
  store: Store,
  installation: Installation,
  changes?: Partial<HookClaim>,
): Promise<ClaimedHook> {
  const claimed = await claimFor(store, installation, changes);
  assert.ok(claimed, 'a delivery is claimed');
  return claimed;
}

export const delivered = { state: 'delivered' } as const;
export const failed = (retryInMs: number) => ({ state: 'failed', error: 'no', retryInMs }) as const;
export const parked = { state: 'parked', error: 'broken\u0007 for good' } as const;

export async function parkedOf(store: Store, { id }: Installation) {
  return store.hooks.listParked({ installationId: id, limit: 10 });
}
