import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Adapter, createAdapter } from './create-adapter.ts';
import type { FakeHost } from './fake-host/index.ts';
import { createAdapterFor, nextTask, openHost } from './testing/test-host.ts';

let host: FakeHost;
let adapter: Adapter;

async function reopen(options: Parameters<typeof openHost>[0]) {
  host?.close();
  host = await openHost(options);
  adapter = createAdapterFor(host);
}

beforeEach(() => reopen({}));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  adapter.destroy();
  host.close();
});

function hellos() {
  return host.messages.filter(({ message }) => message.sub === 'init');
}

describe('creating an adapter', () => {
  test('sends and receives nothing', () => {
    const added = vi.spyOn(globalThis, 'addEventListener');
    const { embedded, srcId } = createAdapterFor(host);
    expect([embedded, srcId]).toEqual([true, 'instance-1']);
    expect(host.messages).toEqual([]);
    expect(added).not.toHaveBeenCalled();
  });

  test('is possible without a platform, and then init fails at once', async () => {
    host.close();
    adapter = createAdapter({});
    expect([adapter.embedded, adapter.srcId]).toEqual([false, null]);
    await expect(adapter.init()).rejects.toMatchObject({ code: 'ERR_NOT_EMBEDDED' });
  });
});

describe('init', () => {
  test('sends one hello and returns one promise for all calls', async () => {
    const [one, other] = [adapter.init(), adapter.init()];
    expect(other).toBe(one);
    await one;
    expect(adapter.init()).toBe(one);
    expect(hellos()).toHaveLength(1);
  });

  test('resolves with the verified claims, the token and the configuration', async () => {
    await reopen({ config: { colour: 'red' } });
    const { claims, config, initJwt, hostOrigin } = await adapter.init();
    expect(claims.ctx.userName).toBe('Robin Berg');
    expect(config).toEqual({ colour: 'red' });
    expect(initJwt.split('.')).toHaveLength(3);
    expect(hostOrigin).toBe(host.origin);
  });

  test('tries again after a failure, with a new hello', async () => {
    await reopen({ answers: 'never' });
    await expect(adapter.init({ timeoutMs: 1 })).rejects.toMatchObject({ code: 'ERR6' });
    const again = adapter.init();
    const { jti } = hellos()[1]?.message ?? {};

    host.send(await host.sign({ sub: 'init', jti }));

    await expect(again).resolves.toMatchObject({ claims: { jti } });
    expect(jti).not.toBe(hellos()[0]?.message.jti);
  });

  test('uses the time-out of the call, else that of the options', async () => {
    await reopen({ answers: 'never' });
    adapter = createAdapterFor(host, { timeoutMs: 5_000 });
    vi.useFakeTimers();
    for (const [request, ms] of [
      [{ timeoutMs: 1_000 }, 1_000],
      [{ timeoutMs: undefined }, 5_000],
      [{}, 5_000],
    ] as const) {
      const outcome = vi.fn();
      const trying = adapter.init(request).catch(outcome);
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(outcome).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      await trying;
      expect(outcome).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'ERR6' }));
    }
  });

  test('ends with its signal, and may be called again', async () => {
    const abort = new AbortController();
    const aborted = adapter.init({ signal: abort.signal });
    abort.abort('left');
    await expect(aborted).rejects.toMatchObject({ code: 'ERR_ABORTED', cause: 'left' });
    await expect(adapter.init()).resolves.toMatchObject({ hostOrigin: host.origin });
  });

  test('of two adapters on one page is answered to each', async () => {
    const other = createAdapterFor(host);
    const [one, two] = await Promise.all([adapter.init(), other.init()]);
    expect(one.claims.jti).not.toBe(two.claims.jti);
    expect(hellos().map(({ message }) => message.jti)).toEqual([one.claims.jti, two.claims.jti]);
    other.destroy();
  });
});

describe('the configuration', () => {
  test.each<[string, (stored: unknown) => unknown]>([
    ['at once', (stored) => ({ parsed: stored })],
    ['later', async (stored) => ({ parsed: stored })],
  ])('is the result of parseConfig, %s', async (_when, parseConfig) => {
    adapter = createAdapterFor(host, { parseConfig });
    await expect(adapter.init()).resolves.toMatchObject({ config: { parsed: {} } });
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new TypeError('No colour');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('No colour'))],
  ])('that parseConfig refuses fails the main view, when it %s', async (_how, parseConfig) => {
    adapter = createAdapterFor(host, { parseConfig });
    await expect(adapter.init()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      cause: { message: 'No colour' },
    });
  });

  test('may be read with the token of the handshake that brought it', async () => {
    adapter = createAdapterFor(host, { parseConfig: (): Promise<unknown> => adapter.getToken() });

    const { config, initJwt } = await adapter.init();

    expect(config).toBe(initJwt);
  });

  test('that parseConfig never returns ends with destroy', async () => {
    const parsing = Promise.withResolvers<void>();
    adapter = createAdapterFor(host, {
      parseConfig() {
        parsing.resolve();
        return new Promise<unknown>(() => {});
      },
    });
    const initializing = adapter.init();
    await parsing.promise;

    adapter.destroy();

    await expect(initializing).rejects.toMatchObject({ code: 'ERR_DESTROYED' });
  });

  test.each(['main', 'config'] as const)(
    'that parseConfig reads while the adapter is destroyed reaches no caller in the view %s',
    async (view) => {
      await reopen({ view });
      const late = Promise.withResolvers<unknown>();
      const parsing = Promise.withResolvers<void>();
      adapter = createAdapterFor(host, {
        parseConfig() {
          parsing.resolve();
          return late.promise;
        },
      });
      const initializing = adapter.init();
      const refused = expect(initializing).rejects.toMatchObject({ code: 'ERR_DESTROYED' });
      await parsing.promise;
      adapter.destroy();
      await nextTask();
      late.reject(new Error('too late'));
      await refused;
    },
  );

  test('that parseConfig never returns ends with the signal of the caller', async () => {
    const abort = new AbortController();
    adapter = createAdapterFor(host, {
      parseConfig() {
        abort.abort('left');
        return new Promise<unknown>(() => {});
      },
    });
    const initializing = adapter.init({ signal: abort.signal });
    await expect(initializing).rejects.toMatchObject({ code: 'ERR_ABORTED', cause: 'left' });
  });

  test('that parseConfig refuses is undefined in the config view, which can fix it', async () => {
    await reopen({ view: 'config' });
    const parseConfig = () => Promise.reject<unknown>(new TypeError('No colour'));
    adapter = createAdapterFor(host, { parseConfig });
    await expect(adapter.init()).resolves.toMatchObject({ config: undefined });
  });
});

describe('a diagnostic', () => {
  test('calls each listener in a separate task, until it is removed', async () => {
    await reopen({ view: 'config' });
    await adapter.init();
    const [one, other] = [vi.fn(), vi.fn()];
    adapter.onDiagnostic(one);
    const stop = adapter.onDiagnostic(other);
    adapter.onSave(() => true);

    host.send('a');
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    expect(one).not.toHaveBeenCalled();
    await nextTask();
    stop();
    host.send('b');
    await nextTask();
    await nextTask();

    expect(one.mock.calls).toEqual([
      ['Not saved: Token has no signature'],
      ['Not saved: Token has no signature'],
    ]);
    expect(other.mock.calls).toEqual([['Not saved: Token has no signature']]);
  });
});

describe('a destroyed adapter', () => {
  test('works until the current task has ended', async () => {
    await reopen({ answers: 'never' });
    const outcome = vi.fn();
    adapter.init().catch(outcome);

    adapter.destroy();
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    expect(outcome).not.toHaveBeenCalled();
    await nextTask();

    expect(outcome).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: 'ERR_DESTROYED', message: 'Adapter was destroyed' }),
    );
  });

  test('does and returns nothing any more', async () => {
    await adapter.init();
    adapter.destroy();
    await nextTask();
    const before = host.messages.length;

    for (const attempt of [adapter.init, adapter.getToken, adapter.session]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'ERR_DESTROYED' });
    }
    adapter.setHeight(100);

    expect(host.messages).toHaveLength(before);
  });

  test('leaves no listener', async () => {
    const added = vi.spyOn(globalThis, 'addEventListener');
    await adapter.init();
    adapter.onSave(() => true);
    adapter.destroy();
    await nextTask();

    const listeners = added.mock.calls.filter(([type]) => type === 'message');
    const signals = listeners.map(([, , options]) => (options as AddEventListenerOptions).signal);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  });

  test('does not affect another one on the page', async () => {
    const other = createAdapterFor(host);
    await other.init();
    adapter.destroy();
    await nextTask();
    other.setHeight(10);
    expect(host.heights).toEqual([10]);
    other.destroy();
  });
});

describe('a retained adapter', () => {
  test('survives destroy: StrictMode mounts, unmounts and mounts again', async () => {
    const release = adapter.retain();
    const init = adapter.init();
    release();
    adapter.retain();
    await nextTask();

    await expect(init).resolves.toMatchObject({ hostOrigin: host.origin });
    adapter.destroy();
    await nextTask();
    await expect(adapter.init()).resolves.toBe(await init);
    expect(hellos()).toHaveLength(1);
  });

  test('ends one task after its last holder has released it, if its creator has ended it', async () => {
    const releases = [adapter.retain(), adapter.retain()];
    const init = await adapter.init();
    adapter.destroy();

    releases[0]?.();
    releases[0]?.();
    await nextTask();
    await expect(adapter.init()).resolves.toBe(init);
    releases[1]?.();
    await nextTask();

    await expect(adapter.init()).rejects.toMatchObject({ code: 'ERR_DESTROYED' });
  });

  test('is ended only by its creator, not by a holder that releases it', async () => {
    const init = await adapter.init();
    adapter.retain()();
    await nextTask();
    await expect(adapter.init()).resolves.toBe(init);
  });
});
