import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect } from './connect.ts';
import type { FakeHost } from './fake-host/index.ts';
import type { HandshakeOptions } from './handshake.ts';
import { openHost, optionsFor, startServer } from './testing/test-host.ts';

let host: FakeHost;
let options: HandshakeOptions;

async function reopen(hostOptions: Parameters<typeof openHost>[0]) {
  host?.close();
  host = await openHost(hostOptions);
  options = optionsFor(host);
}

beforeEach(() => reopen({ answers: 'never' }));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  host.close();
});

function nonces() {
  return host.messages.map(({ message }) => String(message.jti));
}

function timedOut(diagnosis: string) {
  return { code: 'ERR6', message: 'Initialization timed out', retryable: true, diagnosis };
}

describe('the time-out', () => {
  test('is 60 seconds by default', async () => {
    vi.useFakeTimers();
    const outcome = vi.fn();
    const connecting = connect(options).catch(outcome);

    await vi.advanceTimersByTimeAsync(59_999);
    expect(outcome).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    await connecting;
    expect(outcome).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining(timedOut('Host sent no token: is src right?')),
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may be shorter', async () => {
    vi.useFakeTimers();
    const connecting = expect(connect({ ...options, timeoutMs: 200 })).rejects;
    vi.advanceTimersByTime(200);
    await connecting.toMatchObject({ code: 'ERR6' });
  });

  test.each<[string, unknown, Parameters<FakeHost['send']>[1]]>([
    ['another window', 'x', { source: null }],
    ['the page itself', 'x', { source: window }],
    ['the host, with a message that is not a text', {}, {}],
    ['the host, with a text that is not a token', 'x', {}],
  ])('reports that no token came although %s sent a message', async (_who, data, from) => {
    vi.useFakeTimers();
    const connecting = expect(connect(options)).rejects;
    host.send(data, from);
    vi.advanceTimersByTime(60_000);
    await connecting.toMatchObject(timedOut('Host sent no token: is src right?'));
  });

  test('reports that no token came although another page was answered', async () => {
    vi.useFakeTimers();
    const connecting = expect(connect(options)).rejects;
    host.send(await host.sign({ sub: 'init', jti: 'another' }));
    vi.advanceTimersByTime(60_000);
    await connecting.toMatchObject(timedOut('Host sent no token: is src right?'));
  });

  test('covers a key download that hangs, and ends it', async () => {
    await using hanging = await startServer(() => {});
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const connecting = expect(connect({ srcId: host.srcId, jkuOrigins: [hanging.origin] })).rejects;
    const header = { jku: `${hanging.origin}/key.json` };

    host.send(await host.sign({ sub: 'init', jti: nonces()[0] }, header));

    await expect.poll(() => hanging.requests).toEqual(['/key.json']);
    vi.advanceTimersByTime(60_000);

    await connecting.toMatchObject(timedOut('Host sent token, key is slow'));
    expect(fetchSpy.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  });
});

describe('the hello', () => {
  test('is repeated with back-off, always with the same nonce', async () => {
    vi.useFakeTimers();
    const sentAt: number[] = [];
    const start = Date.now();
    vi.spyOn(parent, 'postMessage').mockImplementation(() => void sentAt.push(Date.now() - start));
    const connecting = connect(options).catch(() => {});

    await vi.advanceTimersByTimeAsync(60_000);
    await connecting;

    expect(sentAt.slice(0, 4)).toEqual([0, 500, 1100, 1820]);
    expect(sentAt.length).toBeLessThan(20);
    const pauses = sentAt.slice(1).map((at, index) => at - Number(sentAt[index]));
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
    expect(Math.max(...pauses)).toBeLessThan(12_000);
  });

  test('reaches a host that loads after the plug-in', async () => {
    await reopen({ answers: 'late' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const connecting = connect(options);

    vi.advanceTimersByTime(500);

    await expect(connecting).resolves.toMatchObject({ hostOrigin: host.origin });
    expect(new Set(nonces()).size).toBe(1);
    expect(host.messages).toHaveLength(2);
  });

  test('is not repeated after an answer, even if its key is slow', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => {}));
    const jkuOrigins = ['https://keys.tenant.example'];
    const connecting = expect(connect({ srcId: host.srcId, jkuOrigins })).rejects;
    host.send(await host.sign({ sub: 'init', jti: nonces()[0] }));

    vi.advanceTimersByTime(60_000);

    await connecting.toMatchObject({ code: 'ERR6' });
    expect(host.messages).toHaveLength(1);
  });
});

describe('a key that is not available', () => {
  test.each([
    ['is refused', 'ERR7', (origin: string) => [origin]],
    ['is not at an address that the options allow', 'ERR8', () => ['https://keys.example']],
    ['causes no request', 'ERR8', () => []],
  ])('%s', async (_what, code, origins) => {
    await using server = await startServer((_request, response) => response.writeHead(404).end());
    const connecting = connect({ srcId: host.srcId, jkuOrigins: origins(server.origin) });
    const header = { jku: `${server.origin}/key.json` };

    host.send(await host.sign({ sub: 'init', jti: nonces()[0] }, header));

    await expect(connecting).rejects.toMatchObject({
      code,
    });
    expect(server.requests).toHaveLength(code === 'ERR7' ? 1 : 0);
  });

  test('is loaded from its address when that is allowed', async () => {
    await reopen({ keyDelivery: 'jku' });
    await expect(connect(options)).resolves.toMatchObject({ claims: { sub: 'init' } });
  });
});

describe('the surroundings', () => {
  const notEmbedded = {
    code: 'ERR_NOT_EMBEDDED',
    message: 'No host: open in the platform',
    retryable: false,
  };

  test('without a page around it fail at once, and nothing is sent', async () => {
    host.close();
    const posted = vi.spyOn(window, 'postMessage');
    await expect(connect(options)).rejects.toMatchObject(notEmbedded);
    expect(posted).not.toHaveBeenCalled();
  });

  test.each([undefined, ''])('without an id fail at once: %j', async (srcId) => {
    await expect(connect({ ...options, srcId })).rejects.toMatchObject(notEmbedded);
    expect(host.messages).toEqual([]);
  });

  test('without WebCrypto fail at once', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues });
    await expect(connect({ srcId: host.srcId })).rejects.toMatchObject({
      code: 'ERR0',
      diagnosis: 'No WebCrypto: use https',
    });
    expect(host.messages).toEqual([]);
  });

  test('without WebCrypto fail the same way with pinned keys, without an unhandled rejection', async () => {
    const { subtle: _subtle, ...insecure } = { subtle: 0, getRandomValues: () => 0 };
    vi.stubGlobal('crypto', insecure);
    await expect(connect(options)).rejects.toMatchObject({ code: 'ERR0' });
  });
});

describe('a signal', () => {
  test('that aborts ends the handshake, with its reason as the cause', async () => {
    const abort = new AbortController();
    const connecting = connect({ ...options, signal: abort.signal });

    abort.abort('left');

    await expect(connecting).rejects.toMatchObject({ code: 'ERR_ABORTED', cause: 'left' });
  });

  test('that has aborted before prevents any start', async () => {
    const signal = AbortSignal.abort('early');
    const connecting = connect({ ...options, signal });
    await expect(connecting).rejects.toMatchObject({ code: 'ERR_ABORTED', cause: 'early' });
    expect(host.messages).toEqual([]);
  });

  test('that aborts ends a key download', async () => {
    const abort = new AbortController();
    const fetchSpy = vi.spyOn(globalThis, 'fetch').mockImplementation(() => {
      queueMicrotask(() => abort.abort());
      return new Promise(() => {});
    });
    const jkuOrigins = ['https://keys.tenant.example'];
    const connecting = connect({ srcId: host.srcId, jkuOrigins, signal: abort.signal });
    host.send(await host.sign({ sub: 'init', jti: nonces()[0] }));

    await expect(connecting).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    expect(fetchSpy.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  });
});

describe('while the host signs', () => {
  test('nothing is sent but the hello', async () => {
    const fetchSpy = vi.spyOn(globalThis, 'fetch');

    await expect(connect({ ...options, timeoutMs: 20 })).rejects.toMatchObject({ code: 'ERR6' });

    expect(fetchSpy).not.toHaveBeenCalled();
    expect(host.messages).toHaveLength(1);
  });
});
