import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFakeHost, type FakeHost, type FakeHostOptions } from '../fake-host/index.ts';
import { JwkStore, PluginAdapter } from './index.ts';

let host: FakeHost;
const store = JwkStore.getInstance();

async function embed(options: FakeHostOptions = {}): Promise<FakeHost> {
  host = await createFakeHost(options);
  history.replaceState(null, '', host.url('/'));
  for (const { keys } of host.issuers) {
    if (keys) store.addJwk(/^https:\/\/tenant\.example$/, ...keys);
  }
  for (const origin of host.jkuOrigins) store.addHost(`${origin}/key.json`);
  return host;
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  store.reset();
});

afterEach(() => {
  vi.restoreAllMocks();
  host.close();
  document.body.replaceChildren();
});

const hellos = () => host.messages.filter(({ message }) => message.sub === 'init');

describe('the examples of public plug-ins', () => {
  test('a plug-in reads the name of its user from data.claims.ctx', async () => {
    await embed();
    const { claims, token, validated } = await new PluginAdapter().init();

    expect(claims.ctx.userName).toBe('Robin Berg');
    expect(token).toMatch(/^eyJ/);
    expect(validated).toBe(true);
  });

  test('a plug-in reads its configuration and follows its height with the same adapter', async () => {
    await embed({ config: { background: 'red' } });
    const adapter = new PluginAdapter();
    const initializing = adapter.init();
    const stop = adapter.observeHeight();

    expect((await initializing).claims.cfg.background).toBe('red');
    expect(hellos()).toHaveLength(1);
    stop();
  });

  test('a class extends the adapter', async () => {
    await embed();
    class PatchedPluginAdapter extends PluginAdapter {
      initAndPatch() {
        return this.init();
      }
    }

    expect((await new PatchedPluginAdapter().initAndPatch()).token).toMatch(/^eyJ/);
  });

  test('a configuration page answers the save button with its values', async () => {
    await embed({ view: 'config' });
    const adapter = new PluginAdapter();
    await adapter.init(true);
    const tokens: string[] = [];
    const stop = adapter.onSave((respond, token) => {
      tokens.push(token);
      respond({ background: 'blue' });
    });

    expect(await host.save()).toEqual({ background: 'blue' });
    expect(tokens).toEqual([expect.stringMatching(/^eyJ/)]);
    stop();
  });
});

test('a router that changes the address changes nothing', async () => {
  await embed({ view: 'config' });
  const adapter = new PluginAdapter();
  history.replaceState(null, '', '/another/page');

  expect((await adapter.init(true)).token).toMatch(/^eyJ/);
  const stop = adapter.onSave((respond) => respond({ background: 'blue' }));

  expect(await host.save()).toEqual({ background: 'blue' });
  stop();
});

test('an asynchronous callback that fails refuses the save at once, and says why', async () => {
  await embed({ view: 'config' });
  const adapter = new PluginAdapter();
  await adapter.init(true);
  const stop = adapter.onSave(async () => {
    throw new Error('The colour is missing');
  });

  expect(await host.save()).toBe(false);
  const said = expect.stringContaining('Not saved: Error: The colour is missing');
  // biome-ignore lint/suspicious/noConsole: the predecessor's interface has no other place
  await vi.waitFor(() => expect(console.warn).toHaveBeenCalledWith(said), 120_000);
  stop();
});

describe('the same calls, strict inside', () => {
  test('each init gets a token of its own', async () => {
    await embed();
    const adapter = new PluginAdapter();

    const tokens = [await adapter.init(), await adapter.init()].map(({ token }) => token);

    expect(new Set(tokens).size).toBe(2);
    expect(hellos()).toHaveLength(2);
  });

  test('keys are loaded from an added host', async () => {
    await embed({ keyDelivery: 'jku' });
    await expect(new PluginAdapter().init()).resolves.toMatchObject({ validated: true });
  });

  test('a pattern chooses the keys wherever it matches, because the signature decides', async () => {
    await embed();
    const keys = host.issuers[0]?.keys ?? [];
    store.reset();
    store.addJwk('tenant', ...keys);
    await expect(new PluginAdapter().init()).resolves.toMatchObject({ validated: true });
  });

  test('without keys and hosts nothing is believed', async () => {
    await embed();
    store.reset();
    await expect(new PluginAdapter().init()).rejects.toMatchObject({
      name: 'PluginError',
      code: 8,
      message: 'Insecure plug-in communication (ERR8)',
      cause: { code: 'ERR8' },
    });
  });

  test('init(false, timeout, false) verifies, too, and shows the error as text', async () => {
    await embed({ answers: 'forged' });
    await expect(new PluginAdapter().init(false, 60_000, false)).rejects.toMatchObject({
      code: 2,
      message: 'Invalid plug-in token (ERR2)',
    });
    expect(document.querySelector('[role=alert]')?.textContent).toBe(
      'Invalid plug-in token (ERR2)',
    );
  });

  test('a silent host ends in error 6 after the given time', async () => {
    await embed({ answers: 'never' });
    vi.useFakeTimers();
    const outcome = expect(new PluginAdapter().init(false, 1_000)).rejects.toMatchObject({
      code: 6,
      message: 'Initialization timed out (ERR6)',
    });

    await vi.advanceTimersByTimeAsync(1_000);

    await outcome;
    expect(document.querySelector('[role=alert]')).toBeNull();
    vi.useRealTimers();
  });

  test('a number in place of the view is refused with an explanation', async () => {
    await embed();
    await expect(new PluginAdapter().init(5_000 as never)).rejects.toThrow(TypeError);
    expect(hellos()).toEqual([]);
  });

  test('an unsigned save request is not answered', async () => {
    await embed({ view: 'config' });
    const adapter = new PluginAdapter();
    await adapter.init(true);
    const callback = vi.fn();
    const stop = adapter.onSave(callback, false);

    host.send('eyJhbGciOiJub25lIn0.eyJzdWIiOiJzYXZlIn0.');
    const answered = host.save();

    await vi.waitFor(() => expect(callback).toHaveBeenCalledOnce(), 120_000);
    callback.mock.calls[0]?.[0](true);
    expect(await answered).toBe(true);
    stop();
  });
});
