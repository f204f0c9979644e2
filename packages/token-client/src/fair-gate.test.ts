import { getEventListeners } from 'node:events';
import { systemTimer } from '@dowel/http';
import { expect, test } from 'vitest';
import {
  createFairGate,
  enter,
  type FairGate,
  leave,
  type Share,
  waitToEnter,
} from './fair-gate.ts';

const figures = { places: 10, firstPlaces: 2, maxPlaces: 4, suspectPlaces: 2, newPlaces: 8 };
const origin = 'https://a.example';

/** Takes as many places as it may have. */
function enterAll(gate: FairGate, tenant: string): Share[] {
  const entered: Share[] = [];
  for (;;) {
    const share = enter(gate, origin, tenant);
    if (!share) return entered;
    entered.push(share);
  }
}

function wait(gate: FairGate, tenant: string, options: { ms?: number; signal?: AbortSignal } = {}) {
  const { ms = 60_000, signal = null } = options;
  return waitToEnter(gate, { key: origin, tenant }, { timer: systemTimer, ms, signal });
}

/** Tenants whose last request was answered. */
function letAnswer(gate: FairGate, tenants: readonly string[]): void {
  for (const tenant of tenants) leave(gate, enter(gate, origin, tenant) as Share, 'answered');
}

test('a tenant begins with its first places and gets one more per answer, up to its most', () => {
  const gate = createFairGate(figures);

  const sizes = [1, 2, 3, 4].map(() => {
    const shares = enterAll(gate, 'a');
    leave(gate, shares[0] as Share, 'answered');
    for (const share of shares.slice(1)) leave(gate, share, 'unknown');
    return shares.length;
  });

  expect(sizes).toEqual([2, 3, 4, 4]);
});

test('a tenant loses half of its places after a time-out, and never the last one', () => {
  const gate = createFairGate({ ...figures, firstPlaces: 4, suspectPlaces: 4 });

  const sizes = [1, 2, 3].map(() => {
    const shares = enterAll(gate, 'a');
    leave(gate, shares[0] as Share, 'timed out');
    for (const share of shares.slice(1)) leave(gate, share, 'unknown');
    return shares.length;
  });

  expect(sizes).toEqual([4, 2, 1]);
});

test('tenants that timed out share a few places, and an answer makes one of them usual again', () => {
  const gate = createFairGate(figures);
  for (const tenant of ['a', 'b', 'c']) {
    leave(gate, enter(gate, origin, tenant) as Share, 'timed out');
  }

  const [a, b, c] = ['a', 'b', 'c'].map((tenant) => enter(gate, origin, tenant));
  expect([a, b, c]).toEqual([expect.anything(), expect.anything(), undefined]);
  leave(gate, a as Share, 'answered');

  expect(enterAll(gate, 'a')).toHaveLength(2);
  expect(enterAll(gate, 'c')).toHaveLength(1);
});

test('all tenants of a key share its places, and another key has its own', () => {
  const gate = createFairGate({ ...figures, maxPlaces: 2 });
  const tenants = ['a', 'b', 'c', 'd', 'e', 'f'];
  letAnswer(gate, tenants);

  expect(tenants.map((tenant) => enterAll(gate, tenant).length)).toEqual([2, 2, 2, 2, 2, 0]);
  expect(enter(gate, 'https://b.example', 'f')).toBeDefined();
});

test('a free place goes to the waiting tenants in turn, however many wait of one', async () => {
  const gate = createFairGate({ ...figures, places: 1, firstPlaces: 1, maxPlaces: 1 });
  letAnswer(gate, ['a', 'b', 'c']);
  const served: string[] = [];
  const [holder] = enterAll(gate, 'a');
  const waiting = ['a', 'a', 'a', 'b', 'b', 'c'].map(async (tenant) => {
    const share = await wait(gate, tenant);
    served.push(tenant);
    leave(gate, share as Share, 'answered');
  });

  leave(gate, holder as Share, 'answered');
  await Promise.all(waiting);

  expect(served).toEqual(['b', 'c', 'a', 'b', 'a', 'a']);
});

test('tenants that have not answered leave places, and each has one before another has more', () => {
  const gate = createFairGate(figures);
  letAnswer(gate, ['known']);
  const tenants = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

  expect(tenants.map((tenant) => enterAll(gate, tenant).length)).toEqual([2, 1, 1, 1, 1, 1, 1, 0]);
  expect(enterAll(gate, 'known')).toHaveLength(2);
});

test('a new tenant has its turn although others wait for more', async () => {
  const gate = createFairGate({ ...figures, newPlaces: 2 });
  const [holder] = enterAll(gate, 'a');
  const more = wait(gate, 'a');
  const [first, second] = [wait(gate, 'b'), wait(gate, 'c')];

  leave(gate, holder as Share, 'timed out');

  expect(await first).toBeDefined();
  leave(gate, (await first) as Share, 'answered');
  expect(await second).toBeDefined();
  leave(gate, (await second) as Share, 'answered');
  leave(gate, holder as Share, 'answered');
  expect(await more).toBe(holder);
});

test('nobody overtakes a waiting request of the same tenant', async () => {
  const gate = createFairGate({ ...figures, firstPlaces: 1 });
  const holder = enter(gate, origin, 'a') as Share;
  const first = wait(gate, 'a');
  leave(gate, holder, 'unknown');

  expect(enter(gate, origin, 'a')).toBeUndefined();
  expect(await first).toBe(holder);
});

test('a wait ends with its time or its signal, and leaves the line', async () => {
  const gate = createFairGate({ ...figures, firstPlaces: 1 });
  const holder = enter(gate, origin, 'a') as Share;
  const leaving = new AbortController();

  const late = wait(gate, 'a', { ms: 1 });
  const aborted = wait(gate, 'a', { signal: leaving.signal });
  const gone = wait(gate, 'a', { signal: AbortSignal.abort() });
  const patient = wait(gate, 'a');
  leaving.abort();

  expect(await Promise.all([late, aborted, gone])).toEqual([undefined, undefined, undefined]);
  expect(holder.waiting.size).toBe(1);
  leave(gate, holder, 'answered');
  expect(await patient).toBe(holder);
});

test('the end of the gate ends all its waits, and nobody waits from then on', async () => {
  const closing = new AbortController();
  const gate = createFairGate({ ...figures, firstPlaces: 1 }, closing.signal);
  const holder = enter(gate, origin, 'a') as Share;
  const waits = [wait(gate, 'a'), wait(gate, 'a')];
  closing.abort();
  waits.push(wait(gate, 'a'));

  expect(await Promise.all(waits)).toEqual([undefined, undefined, undefined]);
  expect(holder.waiting.size).toBe(0);
});

test('ten thousand waits share one listener of the end', async () => {
  const closing = new AbortController();
  const gate = createFairGate({ ...figures, firstPlaces: 1 }, closing.signal);
  enter(gate, origin, 'a');
  const waits = Array.from({ length: 10_000 }, () => wait(gate, 'a'));

  expect(getEventListeners(closing.signal, 'abort')).toHaveLength(1);
  closing.abort();
  expect(new Set(await Promise.all(waits))).toEqual(new Set([undefined]));
});

test('a gate forgets idle tenants before it grows too large, and no tenant with a place', () => {
  const gate = createFairGate(figures);
  const kept = enter(gate, origin, 'kept') as Share;
  for (let count = 0; count < 10_100; count += 1) {
    leave(gate, enter(gate, origin, `tenant-${count}`) as Share, 'answered');
  }

  expect(kept.lane.shares.size).toBe(10_000);
  expect(enter(gate, origin, 'kept')).toBe(kept);
});
