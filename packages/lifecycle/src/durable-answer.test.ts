/** A copy of an event that another process decides, on SQLite with a disk that takes its time. */
import type { NoParamCallback } from 'node:fs';
import { systemTimer, type Timer } from '@dowel/http';
import type { TokenSet } from '@dowel/installation-store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAccessTokenEvent, createLifecycleWorld } from './testing/lifecycle-world.ts';

/** While it is held, no sync of a log ends. */
const disk = vi.hoisted(() => ({ isHeld: false, waiting: [] as (() => void)[] }));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  const fdatasync = (file: number, done: NoParamCallback) => {
    const sync = () => fs.fdatasync(file, done);
    if (disk.isHeld) disk.waiting.push(sync);
    else sync();
  };
  return { ...fs, fdatasync };
});

function release(): void {
  disk.isHeld = false;
  for (const sync of disk.waiting.splice(0)) sync();
}

let world: Awaited<ReturnType<typeof createLifecycleWorld>>;

beforeEach(async () => {
  world = await createLifecycleWorld();
});

afterEach(async () => {
  release();
  await world.stop();
});

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

test('a copy gets its answer only when the verdict of the other process is on disk', async () => {
  const exchanged = Promise.withResolvers<Partial<TokenSet>>();
  world.redeem = () => exchanged.promise;
  const { timer, polls } = holdPolls();
  const deciding = await world.start();
  const waiting = await world.start({ timer });

  const answer = deciding.accept(createAccessTokenEvent('c1'));
  await vi.waitFor(() => expect(world.exchangedCodes).toEqual(['c1']), 120_000);
  const copy = waiting.accept(createAccessTokenEvent('c1'));
  await vi.waitFor(() => expect(polls).toHaveLength(1), 120_000);
  disk.isHeld = true;
  exchanged.resolve({});
  await vi.waitFor(() => expect(disk.waiting).toHaveLength(1), 120_000);
  polls[0]?.();

  let isAnswered = false;
  void copy.then(() => {
    isAnswered = true;
  });
  const hasGoneOn = () => isAnswered || disk.waiting.length === 2;
  await vi.waitFor(() => expect(hasGoneOn()).toBe(true), 120_000);

  expect(isAnswered).toBe(false);
  release();
  expect(await Promise.all([answer, copy])).toMatchObject([{ status: 201 }, { status: 201 }]);
});
