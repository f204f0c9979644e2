/** A plug-in on one page over time: it calls again, adds keys, replaces callbacks, shows errors. */
import { knownPlatforms } from '@dowel/schema';
import {
  afterEach,
  beforeEach,
  describe,
  expect,
  expectTypeOf,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { createFakeHost, type FakeHost, type FakeHostOptions } from '../fake-host/index.ts';
import type { KeyDocument } from '../signing-keys.ts';
import { trustIssuers } from '../trust-issuers.ts';
import { JwkStore, type JwtClaims, type JwtHeader, PluginAdapter } from './index.ts';

let host: FakeHost;
const store = JwkStore.getInstance();
const keyAddress = 'https://keys.tenant.example/key.json';

async function embed(options: FakeHostOptions = {}): Promise<FakeHost> {
  host?.close();
  host = await createFakeHost(options);
  history.replaceState(null, '', host.url('/'));
  for (const { keys } of host.issuers) {
    if (keys) store.addJwk(/^https:\/\/tenant\.example$/, ...keys);
  }
  for (const origin of host.jkuOrigins) store.addHost(`${origin}/key.json`);
  return host;
}

/** After `embed`, because the host replaces `fetch` for its key. */
function countDownloads() {
  return vi.spyOn(globalThis, 'fetch');
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  store.reset();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  host.close();
  document.body.replaceChildren();
});

const hellos = () => host.messages.filter(({ message }) => message.sub === 'init');

async function failOnce(adapter: PluginAdapter): Promise<void> {
  await expect(adapter.init(false, 1)).rejects.toMatchObject({ code: 6 });
}

describe('a call of init', () => {
  test('after a failure is one handshake and one key download', async () => {
    const { messages } = await embed({ keyDelivery: 'jku', answers: 'never' });
    const downloads = countDownloads();
    const adapter = new PluginAdapter();
    await failOnce(adapter);
    const before = messages.length;

    const retry = adapter.init();
    const { jti } = messages.at(-1)?.message ?? {};
    host.send(await host.sign({ sub: 'init', jti }));

    await expect(retry).resolves.toMatchObject({ claims: { jti } });
    expect(messages.length - before).toBe(1);
    expect(downloads).toHaveBeenCalledOnce();
  });

  test('ends after its own time limit, the second like the first', async () => {
    await embed();
    const adapter = new PluginAdapter();
    await adapter.init();
    host.close();
    host = await createFakeHost({ answers: 'never' });
    vi.useFakeTimers();

    for (const timeoutMs of [1_000, 2_000]) {
      const outcome = vi.fn();
      const trying = adapter.init(false, timeoutMs).catch(outcome);
      await vi.advanceTimersByTimeAsync(timeoutMs - 1);
      expect(outcome).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(outcome).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 6 }));
      await trying;
    }
  });

  test('with a limit of 1 s has ended after 1 s, when its height is followed and the host is slow', async () => {
    await embed({ answers: 'never' });
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe() {}
        disconnect() {}
      },
    );
    vi.useFakeTimers();
    const adapter = new PluginAdapter();
    const stop = adapter.observeHeight();
    const outcome = vi.fn();
    const trying = adapter.init(false, 1_000).then(outcome, outcome);

    await vi.advanceTimersByTimeAsync(900);
    const { jti } = hellos()[0]?.message ?? {};
    host.send(await host.sign({ sub: 'init', jti }));
    await vi.advanceTimersByTimeAsync(100);
    vi.useRealTimers();
    await vi.waitFor(() => expect(outcome).toHaveBeenCalledOnce(), 120_000);

    await trying;
    stop();
  });

  test('uses a key that any adapter of the page has loaded before', async () => {
    await embed({ keyDelivery: 'jku' });
    const downloads = countDownloads();
    const adapter = new PluginAdapter();

    for (const each of [adapter, adapter, new PluginAdapter()]) await each.init();

    expect(downloads).toHaveBeenCalledOnce();
  });

  test('returns the claims of the user who is signed in at that time', async () => {
    await embed();
    const adapter = new PluginAdapter();
    await adapter.init();
    host.setUser({ userId: 'user-2', userName: 'Kim' });
    expect((await adapter.init()).claims.ctx.userName).toBe('Kim');
  });

  test('uses keys that were added after the first call failed', async () => {
    await embed();
    const keys = host.issuers[0]?.keys ?? [];
    store.reset();
    const adapter = new PluginAdapter();
    await expect(adapter.init()).rejects.toMatchObject({ code: 8 });

    store.addJwk(/tenant/, ...keys);

    await expect(adapter.init()).resolves.toMatchObject({ validated: true });
  });
});

describe('an error', () => {
  test('is shown until an init succeeds', async () => {
    await embed();
    const keys = host.issuers[0]?.keys ?? [];
    store.reset();
    const adapter = new PluginAdapter();
    await adapter.init().catch(() => {});
    expect(document.querySelectorAll('[role=alert]')).toHaveLength(1);
    store.addJwk(/tenant/, ...keys);

    await adapter.init();

    expect(document.querySelector('[role=alert]')).toBeNull();
  });

  test('before the page has a body is reported, too', async () => {
    await embed({ answers: 'forged' });
    vi.spyOn(document, 'body', 'get').mockReturnValue(null as never);
    await expect(new PluginAdapter().init()).rejects.toMatchObject({ code: 2 });
    expect(document.querySelector('[role=alert]')).not.toBeNull();
    document.querySelector('[role=alert]')?.remove();
  });
});

describe('the key store', () => {
  test('reset removes downloaded keys and their hosts', async () => {
    await embed({ keyDelivery: 'jku' });
    const adapter = new PluginAdapter();
    await adapter.init();
    store.reset();
    await expect(adapter.init()).rejects.toMatchObject({ code: 8 });
  });

  test('has the key hosts of the platform again with the next adapter, those that the back end knows', () => {
    store.reset();
    new PluginAdapter();
    new PluginAdapter();
    expect(store.trust().jkuOrigins.map((origin) => `${origin}/`)).toEqual(
      knownPlatforms.haiilo.keyLocations,
    );
  });

  test('returns the keys of an issuer: those added for it, else the one at its address', async () => {
    await embed({ keyDelivery: 'jku' });
    const downloads = countDownloads();
    const loaded = await store.getJwk('https://tenant.example', keyAddress);
    expect(await store.loadJwk(keyAddress)).toBe(loaded[0]);
    expect(downloads).toHaveBeenCalledOnce();

    await embed();
    const [added, ...more] = await store.getJwk('https://tenant.example', keyAddress);

    expect([added?.type, more]).toEqual(['public', []]);
    expect(added).not.toBe(loaded[0]);
  });

  test('returns the usable keys of an issuer and ignores all others', async () => {
    await embed();
    const [{ keys: [good] = [] } = {}] = host.issuers ?? [];
    store.reset();
    store.addJwk('tenant', {}, good as KeyDocument, { keys: [] });

    const keys = await store.getJwk('https://tenant.example');

    expect(keys.map(({ type }) => type)).toEqual(['public']);
  });

  test('names each unusable key when an issuer has no other', async () => {
    store.reset();
    store.addJwk('tenant', {}, { kty: 'RSA', alg: 'RS512', n: 'AQAB', e: 'AQAB' });
    store.addJwk('empty');

    const refused = store.getJwk('https://tenant.example');
    await expect(refused).rejects.toMatchObject({
      code: 7,
      cause: {
        diagnosis: expect.stringMatching(/keys\[0\] is unusable: .+keys\[1\] is unusable: /),
      },
    });
    await expect(store.getJwk('https://empty.example')).rejects.toMatchObject({ code: 7 });
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 32, 2 ** 53])(
    'accepts a time-out of any length: %s ms',
    async (timeoutMs) => {
      await embed({ keyDelivery: 'jku' });
      const key = await store.loadJwk(keyAddress, timeoutMs);
      expect(key.type).toBe('public');
    },
  );

  test.each([Number.NaN, -1, '60000' as never])(
    'refuses an invalid time-out: %s',
    async (timeoutMs) => {
      await embed({ keyDelivery: 'jku' });
      await expect(store.loadJwk(keyAddress, timeoutMs)).rejects.toThrow(/timeoutMs/);
      await expect(new PluginAdapter().init(false, timeoutMs)).rejects.toThrow(/timeoutMs/);
    },
  );

  test('refuses an issuer without keys, and an address at no added host', async () => {
    await embed();
    await expect(store.getJwk('https://other.example')).rejects.toMatchObject({ code: 1 });
    await expect(store.loadJwk(keyAddress)).rejects.toMatchObject({ code: 8 });
  });
});

describe('a callback and an element', () => {
  test('replace the previous ones: the newest callback answers', async () => {
    await embed({ view: 'config' });
    const adapter = new PluginAdapter();
    await adapter.init(true);
    const older = vi.fn();
    adapter.onSave(older);
    const stop = adapter.onSave((respond) => respond({ colour: 'blue' }));

    expect(await host.save()).toEqual({ colour: 'blue' });
    expect(older).not.toHaveBeenCalled();
    stop();
  });

  test('replace the previous ones: one element is followed', async () => {
    const followed = new Set<object>();
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe = () => followed.add(this);
        disconnect = () => followed.delete(this);
      },
    );
    await embed();
    const adapter = new PluginAdapter();
    // Without it, the adapter would begin a handshake that outlasts this test.
    await adapter.init();
    adapter.observeHeight();
    const stop = adapter.observeHeight(false, 'body');
    expect(followed.size).toBe(1);
    stop();
    expect(followed.size).toBe(0);
  });

  test('answer only the user of the newest init', async () => {
    await embed({ view: 'config' });
    const adapter = new PluginAdapter();
    await adapter.init(true);
    const callback = vi.fn((respond: (data: boolean) => void) => respond(true));
    const stop = adapter.onSave(callback);

    host.setUser({ userId: 'user-2' });
    const unanswered = host.save().catch(() => {});
    await adapter.init(true);
    expect(callback).not.toHaveBeenCalled();

    expect(await host.save()).toBe(true);
    host.close();
    await unanswered;
    stop();
  });

  test('answer a save that names its tenant by its issuer only', async () => {
    await embed({ view: 'config' });
    const adapter = new PluginAdapter();
    await adapter.init(true);
    const stop = adapter.onSave((respond) => respond(true));

    host.send(await host.sign({ sub: 'save', jti: 'short', 'ctx.tenantId': undefined }));

    const answer = { iss: `${adapter.srcId}-cfg`, sub: 'setConfig', jti: 'short', data: true };
    await vi.waitFor(() => expect(host.messages.at(-1)?.message).toEqual(answer), 120_000);
    stop();
  });

  test('a page that only follows its height starts one handshake by itself', async () => {
    await embed();
    vi.spyOn(document.body, 'getBoundingClientRect').mockReturnValue({ bottom: 70 } as DOMRect);
    const adapter = new PluginAdapter();
    const stop = adapter.observeHeight(false, 'body');
    document.body.append('text');

    await vi.waitFor(() => expect(host.heights).toEqual([70]), 120_000);
    // A slow handshake says hello more than once, with the same nonce.
    expect(new Set(hellos().map(({ message }) => message.jti)).size).toBe(1);
    stop();
  });

  test('a page that only follows its height says in the console why it is not believed', async () => {
    await embed();
    // Its keys were never added.
    store.reset();
    const warn = vi.spyOn(console, 'warn');

    onTestFinished(new PluginAdapter().observeHeight(false, 'body'));

    await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce(), 120_000);
    expect(warn.mock.calls[0]?.[0]).toContain('Not in jkuOrigins');
  });
});

describe('the options', () => {
  test('name the pages that tokens may come from', async () => {
    await embed();
    const parentOrigin = 'https://portal.example';
    await expect(new PluginAdapter('', { parentOrigin }).init()).rejects.toMatchObject({ code: 3 });
    const own = new PluginAdapter('', { parentOrigin: host.origin });
    await expect(own.init()).resolves.toMatchObject({ validated: true });
  });

  test('name the issuers that are believed, instead of those of the store', async () => {
    await embed({ keyDelivery: 'jku' });
    const other = new PluginAdapter('', {
      issuers: trustIssuers([{ issuer: 'https://other.example' }]),
    });
    await expect(other.init()).rejects.toMatchObject({ code: 1 });
    const own = new PluginAdapter('', {
      issuers: trustIssuers([{ issuer: 'https://tenant.example' }]),
    });
    await expect(own.init()).resolves.toMatchObject({ validated: true });
  });
});

test.each<[string, object]>([
  ['name', { parentOrigins: 'https://tenant.example' }],
  ['value', { parentOrigin: 'tenant.example' }],
  ['list of issuers', { issuers: [{ issuer: 'https://tenant.example' }] }],
])('a wrong %s of an option is refused at the call', (_what, options) => {
  expect(() => new PluginAdapter('', options)).toThrow(
    expect.objectContaining({ code: 'ERR_OPTIONS' }),
  );
});

test('claims have the loose types of the predecessor, so that its plug-ins compile', () => {
  expectTypeOf<JwtClaims['ctx']['userName']>().toBeAny();
  expectTypeOf<JwtClaims['iss']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<JwtHeader['jku']>().toEqualTypeOf<string | undefined>();
});
