/** Threat B08: which senders may still fetch a key when strangers have used up their share. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createFetchBudget, type FetchBudget, refund, release, spend } from './fetch-budget.ts';
import type { Sender } from './sender.ts';

const minute = 60_000;
const rule = { name: 'one' };
const otherRule = { name: 'other' };

let nowMs: number;
let budget: FetchBudget;

beforeEach(() => {
  nowMs = 1_000_000_000;
  budget = createFetchBudget(() => nowMs, 1);
});

const sender = (address: string, changes: Partial<Sender> = {}): Sender => ({
  address,
  network: address,
  isKnown: false,
  ...changes,
});

const platform = sender('platform', { isKnown: true });
const ipv6 = (network: number, subnet: number) =>
  sender(`${network}:${subnet}`, { network: String(network) });

/** One wasted fetch. */
async function waste(from: Sender | undefined, under = rule): Promise<boolean> {
  try {
    release(budget, await spend(budget, under, from));
    return true;
  } catch {
    return false;
  }
}

async function countWasted(attempts: number, from: (index: number) => Sender | undefined) {
  let count = 0;
  for (let index = 0; index < attempts; index += 1) if (await waste(from(index))) count += 1;
  return count;
}

const codeOf = (promise: unknown) => Promise.resolve(promise).then(() => 'granted', String);

describe('in a minute', () => {
  test('strangers who have wasted a fetch share 12, fresh ones 36, known senders 48', async () => {
    expect(await countWasted(100, (index) => sender(`s${index % 3}`))).toBe(12);
    expect(await countWasted(100, (index) => sender(`fresh ${index}`))).toBe(24);
    expect(await countWasted(100, () => platform)).toBe(12);
  });

  test('one address has 6, a known one 24', async () => {
    expect(await countWasted(100, () => sender('s'))).toBe(6);
    expect(await countWasted(100, () => platform)).toBe(24);
    nowMs += minute - 1;
    expect(await waste(sender('s'))).toBe(false);
    nowMs += 1;
    expect(await waste(sender('s'))).toBe(true);
  });

  test('strangers under one rule use up nothing of another rule', async () => {
    budget = createFetchBudget(() => nowMs, 2);
    expect(await countWasted(100, (index) => sender(`s${index}`))).toBe(18);

    expect(await waste(sender('s'), otherRule)).toBe(true);
  });

  test('each of many rules has 12', async () => {
    budget = createFetchBudget(() => nowMs, 40);
    expect(await countWasted(100, (index) => sender(`s${index}`))).toBe(9);
    expect(await countWasted(100, () => platform)).toBe(3);
  });

  test('a fetch that was not wasted does not count', async () => {
    for (let count = 0; count < 100; count += 1) {
      const spending = await spend(budget, rule, sender('s'));
      release(budget, spending);
      refund(spending);
    }

    expect(await countWasted(100, () => sender('s'))).toBe(6);
  });

  test('without a sender the limits of the rule apply', async () => {
    expect(await countWasted(100, () => undefined)).toBe(36);
  });
});

describe('a sender that has wasted a fetch', () => {
  test('comes after the fresh ones for an hour', async () => {
    const flood = () => countWasted(100, (index) => sender(`s${index % 40}`));
    expect(await flood()).toBe(36);
    nowMs += minute;
    // Twelve fetches, and the four that were not reached before.
    expect(await flood()).toBe(16);
    expect(await waste(sender('fresh'))).toBe(true);

    nowMs += 60 * minute;
    expect(await flood()).toBe(36);
  });

  test('makes its whole network come after them, when that has wasted four', async () => {
    await countWasted(4, (index) => ipv6(1, index));

    expect(await countWasted(100, (index) => ipv6(1, 100 + index))).toBe(8);
    expect(await waste(ipv6(2, 1))).toBe(true);
  });

  test('C1: is forgotten when the clock is set back, so that no sender waits without end', async () => {
    await countWasted(100, () => sender('s'));
    nowMs -= 24 * 60 * minute;

    expect(await waste(sender('s'))).toBe(true);
  });
});

describe('at the same time', () => {
  function start(from: Sender) {
    try {
      return spend(budget, rule, from);
    } catch (refusal) {
      return Promise.reject(refusal);
    }
  }

  test('strangers fetch one, fresh ones three, known senders four', async () => {
    await waste(sender('s'));
    await start(sender('s'));
    const second = start(sender('s'));
    expect(second).toBeInstanceOf(Promise);
    expect(start(sender('a'))).not.toBeInstanceOf(Promise);
    expect(start(sender('b'))).not.toBeInstanceOf(Promise);
    expect(start(sender('c'))).toBeInstanceOf(Promise);
    expect(start(platform)).not.toBeInstanceOf(Promise);
    expect(start(platform)).toBeInstanceOf(Promise);
  });

  test('of those that wait, the known sender goes first, then the fresh ones, in their order', async () => {
    await waste(sender('s'));
    const running = [start(platform), start(platform), start(platform), start(platform)];
    const order: string[] = [];
    for (const [name, from] of [
      ['stranger', sender('s')],
      ['fresh', sender('a')],
      ['fresh too', sender('b')],
      ['known', platform],
    ] as const) {
      void Promise.resolve(start(from)).then((spending) => {
        order.push(name);
        running.push(spending);
      });
    }

    while (running.length > 0) {
      const next = await running.shift();
      if (next) release(budget, next);
      await new Promise(setImmediate);
    }

    expect(order).toEqual(['known', 'fresh', 'fresh too', 'stranger']);
  });

  test('one address does not fill the queue with fetches that count as fresh', async () => {
    const [first] = [start(sender('x')), start(sender('y')), start(sender('z'))];
    const ofOne = Array.from({ length: 8 }, () => codeOf(start(sender('s'))));
    const fresh = codeOf(start(sender('a')));

    // The new one has displaced the last one.
    expect(await ofOne.at(-1)).toContain('key_fetch_limited');
    expect(await codeOf(start(sender('s')))).toContain('key_fetch_limited');
    release(budget, await first);
    expect(await ofOne[0]).toBe('granted');
    release(budget, await first);
    expect(await fresh).toBe('granted');
  });

  test('a known sender is admitted to a queue that is full of fresh ones', async () => {
    for (const name of ['a', 'b', 'c']) await start(sender(name));
    await start(platform);
    const fresh = Array.from({ length: 8 }, (_, index) => codeOf(start(sender(`f${index}`))));

    const known = start(platform);

    expect(await fresh.at(-1)).toContain('key_fetch_limited');
    expect(known).toBeInstanceOf(Promise);
  });

  test('a request that waits while the budget runs out is refused', async () => {
    for (const name of ['a', 'b', 'c']) await start(sender(name));
    const waiting = codeOf(start(sender('d')));
    const second = sender('second', { isKnown: true });
    for (let count = 0; count < 24; count += 1) release(budget, await start(platform));
    for (let count = 0; count < 9; count += 1) release(budget, await start(second));

    expect(await waiting).toContain('key_fetch_limited');
  });
});
