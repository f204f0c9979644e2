import type { FakeHost } from '@dowel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Adapter } from './create-adapter.ts';
import { createAdapterFor, openHost } from './testing/test-host.ts';

let host: FakeHost;
let adapter: Adapter;
let seconds: number;

beforeEach(async () => {
  host = await openHost();
  adapter = createAdapterFor(host);
  seconds = Math.floor(Date.now() / 1000);
  vi.spyOn(Date, 'now').mockImplementation(() => seconds * 1000);
});

afterEach(() => {
  vi.restoreAllMocks();
  adapter.destroy();
  host.close();
});

test('the init token is given while it has ten of its sixty seconds left', async () => {
  const first = await adapter.getToken();
  expect((await adapter.init()).initJwt).toBe(first);
  seconds += 50;

  expect(await adapter.getToken()).toBe(first);
  seconds += 1;
  const second = await adapter.getToken();

  expect(second).not.toBe(first);
  expect(await adapter.getToken()).toBe(second);
  expect(host.messages).toHaveLength(2);
});

test('the caller says how long it must be valid', async () => {
  const first = await adapter.getToken({ minValidityMs: 60_000 });
  seconds += 59;
  expect(await adapter.getToken({ minValidityMs: 1_000 })).toBe(first);
  expect(await adapter.getToken({ minValidityMs: 2_000 })).not.toBe(first);
});

test("its time runs by this device's clock, however wrong the host finds that", async () => {
  host.close();
  host = await openHost({ claims: { iat: seconds - 200, exp: seconds - 140 } });
  adapter = createAdapterFor(host);
  const first = await adapter.getToken();
  seconds += 50;
  expect(await adapter.getToken()).toBe(first);
});

test('one renewal serves all who ask meanwhile; the next one is another', async () => {
  await adapter.init();
  seconds += 60;
  const tokens = await Promise.all([1, 2, 3].map(() => adapter.getToken()));
  expect(new Set(tokens).size).toBe(1);
  expect(host.messages).toHaveLength(2);

  seconds += 60;
  expect(await adapter.getToken()).not.toBe(tokens[0]);
  expect(host.messages).toHaveLength(3);
});

test('a renewal that fails may be tried again', async () => {
  await adapter.init();
  seconds += 60;
  const posted = vi.spyOn(parent, 'postMessage').mockImplementation(() => {
    throw new TypeError('Gone');
  });
  await expect(adapter.getToken()).rejects.toThrow(TypeError);
  posted.mockRestore();
  await expect(adapter.getToken()).resolves.toContain('.');
});

test.each([{ userId: 'user-2' }, { tenantId: 'other' }])(
  'a renewal for somebody else is refused: %j',
  async (user) => {
    const first = await adapter.getToken();
    seconds += 55;
    host.setUser(user);

    await expect(adapter.getToken()).rejects.toMatchObject({
      code: 'ERR3',
      diagnosis: 'New user: reload',
    });
    expect(await adapter.getToken({ minValidityMs: 0 })).toBe(first);
  },
);

test('a new name or language of the same user is no other user', async () => {
  const first = await adapter.getToken();
  seconds += 60;
  host.setUser({ userName: 'Robin Tal', userLanguage: 'fr' });
  expect(await adapter.getToken()).not.toBe(first);
});
