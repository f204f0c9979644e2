import { createHook } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { AccountPassword } from '@dowel/installation-store';
import { beforeEach, expect, test } from 'vitest';
import { hashCheaply } from '../testing/hash-cheaply.ts';
import { checkPassword, createPasswordGate, type PasswordGate } from './password-sign-in.ts';

const password = 'four words will do';
const passwordHash = hashCheaply(password);
const account: AccountPassword = {
  name: 'ada',
  role: 'operator',
  createdAt: 1,
  revision: 'r',
  passwordHash,
};

const minuteMs = 60_000;
let now: number;
let gate: PasswordGate;
beforeEach(() => {
  now = 1_000;
  gate = createPasswordGate(() => now);
});

const everyName = { findAccount: async () => account };
const noName = { findAccount: async () => undefined };
const attempt = (changes = {}) => ({ name: 'ada', password, address: '192.0.2.1', ...changes });
const wrong = (changes = {}) => attempt({ password: 'another guess', ...changes });

async function failTenTimes(changes: () => object): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    expect(await checkPassword(gate, everyName, wrong(changes()))).toBeUndefined();
  }
}

/** Each call returns another text. */
function numbered(prefix: string): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `${prefix}${last}`;
  };
}

/** How many scrypt computations `work` starts. */
async function countHashes(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'SCRYPTREQUEST') count += 1;
    },
  }).enable();
  await work();
  hook.disable();
  return count;
}

test('F01: ten wrong passwords from one address stop it for a quarter of an hour', async () => {
  await failTenTimes(() => ({ name: randomUUID() }));

  const hashes = await countHashes(() =>
    expect(checkPassword(gate, everyName, attempt())).rejects.toMatchObject({
      code: 'TOO_MANY_ATTEMPTS',
      headers: { 'Retry-After': '900' },
    }),
  );

  expect(hashes).toBe(0);
  expect(await checkPassword(gate, everyName, attempt({ address: '192.0.2.2' }))).toBe(account);
  now += 15 * minuteMs;
  expect(await checkPassword(gate, everyName, attempt())).toBe(account);
});

test('F01: ten wrong passwords for one name stop it, from any address', async () => {
  const address = numbered('192.0.2.');
  await failTenTimes(() => ({ address: address() }));

  await expect(
    checkPassword(gate, everyName, attempt({ address: address() })),
  ).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
  const other = attempt({ name: 'grace', address: address() });
  expect(await checkPassword(gate, everyName, other)).toBe(account);
});

test('F01: an owner of a whole IPv6 network counts as one address', async () => {
  const address = numbered('2001:db8:1:2::');
  await failTenTimes(() => ({ name: randomUUID(), address: address() }));

  await expect(
    checkPassword(gate, everyName, attempt({ address: address() })),
  ).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
});

test('F01: attempts at the same time do not pass the limit together', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 15 }, () => checkPassword(gate, everyName, wrong())),
  );

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
});

test('F01: many addresses of one IPv6 range stop it, ten times later than one address', async () => {
  const host = numbered('2001:db8:ff:');
  for (let count = 0; count < 100; count += 1) {
    const address = `${host()}::1`;
    expect(await checkPassword(gate, everyName, wrong({ name: randomUUID(), address }))).toBe(
      undefined,
    );
  }

  const next = attempt({ address: `${host()}::1` });
  await expect(checkPassword(gate, everyName, next)).rejects.toMatchObject({
    code: 'TOO_MANY_ATTEMPTS',
  });
  const elsewhere = attempt({ address: '2001:db8:fe::1' });
  expect(await checkPassword(gate, everyName, elsewhere)).toBe(account);
});

/** All places are taken, until it is called. */
function fillGate(): () => void {
  gate.hashing = 2;
  gate.waiting.push(...Array.from({ length: 20 }, () => () => {}));
  return () => {
    gate.hashing = 0;
    gate.waiting.length = 0;
  };
}

test('F01, F03: an attempt that checked no password is no failure', async () => {
  const empty = fillGate();
  const away = { findAccount: () => Promise.reject(new Error('The database is away')) };
  for (let count = 0; count < 20; count += 1) {
    await expect(checkPassword(gate, everyName, attempt())).rejects.toMatchObject({
      code: 'OVERLOADED',
    });
    await expect(checkPassword(gate, away, attempt())).rejects.toThrow('The database is away');
  }
  empty();

  expect(await checkPassword(gate, everyName, attempt())).toBe(account);
});

test('F01: attempts from many addresses, or that check nothing, let no name be guessed again', async () => {
  await failTenTimes(() => ({ address: randomAddress() }));
  const empty = fillGate();
  for (let count = 0; count < 11_000; count += 1) {
    const other = wrong({ name: randomUUID(), address: randomAddress() });
    await checkPassword(gate, everyName, other).catch(() => undefined);
  }
  empty();
  // As many addresses as the counter holds.
  for (let count = 0; count < 10_000; count += 1) {
    gate.addresses.counted.set(randomAddress(), { startedAt: now, count: 1 });
  }

  const guess = wrong({ address: randomAddress() });
  await expect(checkPassword(gate, everyName, guess)).rejects.toMatchObject({
    code: 'TOO_MANY_ATTEMPTS',
  });
});

function randomAddress(): string {
  const groups = randomUUID().replaceAll('-', '').match(/.{4}/g) ?? [];
  return groups.join(':');
}

test('F01: a right password is no failure', async () => {
  for (let count = 0; count < 12; count += 1) {
    expect(await checkPassword(gate, everyName, attempt())).toBe(account);
  }
});

test('F02: an unknown name costs one hash, as a known one does', async () => {
  expect(await countHashes(() => checkPassword(gate, everyName, wrong()))).toBe(1);
  expect(await countHashes(() => checkPassword(gate, noName, wrong()))).toBe(1);
});

test('F03: two hashes are computed at once, twenty wait, and more are OVERLOADED', async () => {
  let most = 0;
  const accounts = {
    async findAccount() {
      most = Math.max(most, gate.hashing);
      return account;
    },
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, (_, index) =>
      checkPassword(gate, accounts, attempt({ name: `n${index}`, address: `192.0.2.${index}` })),
    ),
  );

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused.map(({ reason }) => reason.code)).toEqual(Array(8).fill('OVERLOADED'));
  expect(most).toBeLessThanOrEqual(2);
  expect(gate).toMatchObject({ hashing: 0, waiting: [] });
  expect(await checkPassword(gate, everyName, attempt({ address: '192.0.2.99' }))).toBe(account);
});
