/** A copy of an event that another process decides. Only the end of a transaction says that a verdict is on disk. */
import { systemTimer, type Timer } from '@dowel/http';
import type { Store, TokenSet } from '@dowel/installation-store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAccessTokenEvent, createLifecycleWorld } from './testing/lifecycle-world.ts';

let world: Awaited<ReturnType<typeof createLifecycleWorld>>;

beforeEach(async () => {
  world = await createLifecycleWorld();
});

afterEach(() => world.stop());

/** The test decides when a poll looks for the verdict. */
function holdPolls() {
  const pollMs = 100;
  const polls: (() => void)[] = [];
  const timer: Timer = {
    ...systemTimer,
    after(ms, callback) {
      if (ms !== pollMs) return systemTimer.after(ms, callback);
      polls.push(callback);
      return () => {};
    },
  };
  return { timer, polls };
}

/** A store whose disk can take its time: while it is held, no transaction is acknowledged. */
function onSlowDisk(store: Store) {
  const disk = { isHeld: false, waiting: [] as (() => void)[] };
  const slow: Store = {
    ...store,
    async transaction(work, options) {
      const result = await store.transaction(work, options);
      if (disk.isHeld) await new Promise<void>((resolve) => disk.waiting.push(resolve));
      return result;
    },
  };
  return { disk, slow };
}

test('a copy gets its answer only when the verdict of the other process is on disk', async () => {
  const exchanged = Promise.withResolvers<Partial<TokenSet>>();
  world.redeem = () => exchanged.promise;
  const { timer, polls } = holdPolls();
  const { disk, slow } = onSlowDisk(world.store);
  const deciding = await world.start();
  const waiting = await world.start({ timer, store: slow });

  const answer = deciding.accept(createAccessTokenEvent('c1'));
  await vi.waitFor(() => expect(world.exchangedCodes).toEqual(['c1']), 120_000);
  let isAnswered = false;
  const copy = waiting.accept(createAccessTokenEvent('c1')).finally(() => {
    isAnswered = true;
  });
  await vi.waitFor(() => expect(polls).toHaveLength(1), 120_000);
  disk.isHeld = true;
  exchanged.resolve({});
  expect(await answer).toMatchObject({ status: 201 });
  polls[0]?.();
  const hasGoneOn = () => isAnswered || disk.waiting.length > 0;
  await vi.waitFor(() => expect(hasGoneOn()).toBe(true), 120_000);

  expect(isAnswered).toBe(false);
  disk.waiting[0]?.();
  expect(await copy).toMatchObject({ status: 201 });
});
