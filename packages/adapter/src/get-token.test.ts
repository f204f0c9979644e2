import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Adapter } from './create-adapter.ts';
import type { FakeHost } from './fake-host/index.ts';
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
  vi.useRealTimers();
  vi.restoreAllMocks();
  adapter.destroy();
  host.close();
});

test('the init token is returned while it has ten of its sixty seconds left', async () => {
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

test('the caller decides how long it must be valid', async () => {
  const first = await adapter.getToken({ minValidityMs: 60_000 });
  seconds += 59;
  expect(await adapter.getToken({ minValidityMs: 1_000 })).toBe(first);
  expect(await adapter.getToken({ minValidityMs: 2_000 })).not.toBe(first);
});

test("its time is measured by this device's clock, even if that clock is wrong", async () => {
  host.close();
  host = await openHost({ claims: { iat: seconds - 200, exp: seconds - 140 } });
  adapter = createAdapterFor(host);
  const first = await adapter.getToken();
  seconds += 50;
  expect(await adapter.getToken()).toBe(first);
});

test('all calls during a renewal share it; later calls start another one', async () => {
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
  'a renewal for another user is refused: %j',
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

test('a new name or language of the same user is not another user', async () => {
  const first = await adapter.getToken();
  seconds += 60;
  host.setUser({ userName: 'Robin Tal', userLanguage: 'fr' });
  expect(await adapter.getToken()).not.toBe(first);
});

describe('while the host is silent', () => {
  /** From this point, the host does not answer. */
  function silence() {
    return vi.spyOn(parent, 'postMessage').mockImplementation(() => {});
  }

  test('the current token is returned while it is valid, after at most two seconds', async () => {
    const first = await adapter.getToken();
    seconds += 51;
    const posted = silence();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const given = vi.fn();
    const asking = adapter.getToken().then(given);

    await vi.advanceTimersByTimeAsync(1_999);
    expect(given).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await asking;

    expect(given).toHaveBeenCalledExactlyOnceWith(first);
    expect(posted).toHaveBeenCalled();
  });

  test('it is not returned if it expires within that time', async () => {
    await adapter.getToken();
    seconds += 59;
    silence();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const given = vi.fn();
    const asking = adapter.getToken().then(given);
    await vi.advanceTimersByTimeAsync(500);
    await asking;
    expect(given).toHaveBeenCalledOnce();

    seconds += 1;
    const refused = expect(adapter.getToken()).rejects.toMatchObject({ code: 'ERR6' });
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
  });

  test('a token that has opened a session is not returned again', async () => {
    adapter.destroy();
    adapter = createAdapterFor(host, { timeoutMs: 300 });
    await adapter.init({ timeoutMs: 60_000 });
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({ sessionToken: 's' }));
    await adapter.session();
    silence();
    await expect(adapter.getToken({ minValidityMs: 0 })).rejects.toMatchObject({ code: 'ERR6' });
  });
});

describe('the age of a token', () => {
  test('is counted correctly if the clock is set back', async () => {
    const first = await adapter.getToken();
    const elapsed = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    seconds -= 3_600;
    host.setUser({});
    expect(await adapter.getToken({ minValidityMs: 0 })).not.toBe(first);
    elapsed.mockRestore();
  });

  test('is counted correctly if the monotonic clock stopped while the device slept', async () => {
    const first = await adapter.getToken();
    seconds += 61;
    expect(await adapter.getToken({ minValidityMs: 0 })).not.toBe(first);
  });

  test('begins with the hello, even if the key was slow', async () => {
    adapter.destroy();
    host.close();
    host = await openHost({ keyDelivery: 'jku' });
    adapter = createAdapterFor(host);
    const { fetch } = globalThis;
    vi.spyOn(globalThis, 'fetch').mockImplementationOnce((...request) => {
      seconds += 55;
      return fetch(...request);
    });
    const first = await adapter.getToken({ minValidityMs: 0 });
    expect(await adapter.getToken()).not.toBe(first);
  });
});
