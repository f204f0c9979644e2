import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ConnectOptions, connect } from './connect.ts';
import {
  createFakeFrame,
  createKeyPair,
  type FakeFrame,
  hostOrigin,
  keyDocument,
  signInitJwt,
  src,
  startKeyServer,
} from './fake-platform.ts';

const keyPair = await createKeyPair();
const document = await keyDocument(keyPair);

let frame: FakeFrame;
let options: ConnectOptions;
let jku: string;

beforeEach(async () => {
  const server = await startKeyServer((_request, response) => response.end(document));
  frame = createFakeFrame();
  jku = `${server.origin}/key.json`;
  options = { keyOrigins: [server.origin], target: frame.target, src };
  return async () => {
    frame.remove();
    await server[Symbol.asyncDispose]();
  };
});

afterEach(() => {
  vi.useRealTimers();
});

function answer(claims = {}) {
  return signInitJwt(keyPair, jku, { claims: { jti: frame.jti(), ...claims } });
}

describe('a handshake', () => {
  test('resolves with the verified claims, nested', async () => {
    const connecting = connect(options);
    const initJwt = await answer();

    frame.receive({ data: initJwt });

    const connection = await connecting;
    expect(connection).toMatchObject({ initJwt, instanceId: src });
    expect(connection.claims.ctx.userName).toBe('Robin Berg');
    expect(connection.claims.iss).toBe(hostOrigin);
    expect(Object.getPrototypeOf(connection.claims)).toBeNull();
  });

  test('binds the connection to the issuer: heights go nowhere else, and end with close', async () => {
    const connecting = connect(options);
    frame.receive({ data: await answer({ iss: `${hostOrigin}/home` }) });
    const { setHeight, close } = await connecting;

    for (const heightPx of [99.2, 100]) setHeight(heightPx);
    close();
    setHeight(200);

    expect(frame.sent.slice(1)).toEqual([
      { message: { iss: src, sub: 'setHeight', height: 100 }, origin: hostOrigin },
    ]);
  });

  test('greets the host with a content-free hello and a 128-bit nonce', async () => {
    const abort = new AbortController();
    const connecting = connect({ ...options, signal: abort.signal });

    expect(frame.sent).toEqual([
      {
        message: { iss: src, sub: 'init', jti: expect.stringMatching(/^[0-9a-f]{32}$/) },
        origin: '*',
      },
    ]);
    abort.abort();
    await expect(connecting).rejects.toMatchObject({ code: 'ERR_ABORTED' });
  });

  test('ignores other windows, non-strings, huge strings and other nonces', async () => {
    const connecting = connect(options);
    const initJwt = await answer();
    const foreign = await answer({ jti: 'another' });

    frame.receive({ data: initJwt, source: frame.target });
    frame.receive({ data: initJwt, source: null });
    frame.receive({ data: { token: initJwt } });
    frame.receive({ data: `${initJwt}${'A'.repeat(1_000_000)}` });
    frame.receive({ data: 'hello' });
    frame.receive({ data: foreign });
    frame.receive({ data: initJwt });

    await expect(connecting).resolves.toMatchObject({ initJwt });
  });

  test('refuses a good token that comes from a page other than its issuer', async () => {
    const connecting = connect(options);

    frame.receive({ data: await answer(), origin: 'https://evil.example' });

    await expect(connecting).rejects.toMatchObject({
      name: 'PluginError',
      code: 'ERR3',
      message: 'Invalid plug-in token',
    });
  });

  test('rejects at once, and stays rejected, when the answer is tampered with', async () => {
    const connecting = connect(options);
    const [header, payload, signature] = (await answer()).split('.');
    const tampered = `${signature?.startsWith('A') ? 'B' : 'A'}${signature?.slice(1)}`;

    frame.receive({ data: `${header}.${payload}.${tampered}` });
    frame.receive({ data: `${header}.${payload}.${signature}` });

    await expect(connecting).rejects.toMatchObject({
      code: 'ERR2',
      message: 'Invalid plug-in token',
    });
  });

  test('keeps two pages with the same instance apart by their nonces', async () => {
    const first = connect(options);
    const initJwt = await answer();
    const second = expect(connect({ ...options, timeoutMs: 200 })).rejects;

    frame.receive({ data: initJwt });

    await expect(first).resolves.toMatchObject({ initJwt });
    await second.toMatchObject({ code: 'ERR6' });
  });
});

describe('the time-out', () => {
  const timedOut = (diagnosis: string) => ({
    code: 'ERR6',
    message: 'Initialization timed out',
    diagnosis,
  });

  test('is 60 seconds unless told otherwise', async () => {
    vi.useFakeTimers();
    const outcome = vi.fn();
    const connecting = connect(options).catch(outcome);

    await vi.advanceTimersByTimeAsync(59_999);
    expect(outcome).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    expect(outcome).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining(timedOut('No message came from the embedding page.')),
    );
    await connecting;
  });

  test.each([
    ['another window', { source: null }, 'Messages came, but from another window.'],
    ['something else', { data: {} }, 'The embedding page sent messages, but no token.'],
  ])('says that %s spoke', async (_who, message, diagnosis) => {
    const connecting = connect({ ...options, timeoutMs: 20 });
    frame.receive({ data: 'x', ...message });
    await expect(connecting).rejects.toMatchObject(timedOut(diagnosis));
  });

  test('says that only a foreign nonce was answered', async () => {
    const connecting = connect({ ...options, timeoutMs: 100 });
    frame.receive({ data: await answer({ jti: 'another' }) });
    await expect(connecting).rejects.toMatchObject(
      timedOut('The embedding page sent a token, but for another request.'),
    );
  });

  test('covers a key download that hangs, and aborts it', async () => {
    await using hanging = await startKeyServer(() => {});
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    const connecting = connect({ ...options, keyOrigins: [hanging.origin], timeoutMs: 200 });
    jku = `${hanging.origin}/key.json`;

    frame.receive({ data: await answer() });

    await expect(connecting).rejects.toMatchObject(
      timedOut('A token came, but its key was still loading.'),
    );
    expect(hanging.requests).toHaveLength(1);
    expect(fetchSpy.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  });

  test('leaves room for a host that loads late: the hello is repeated with back-off', async () => {
    vi.useFakeTimers();
    const connecting = connect(options).catch(() => {});

    await vi.advanceTimersByTimeAsync(4_000);

    expect(frame.sent).toHaveLength(4);
    expect(new Set(frame.sent.map(({ message }) => message.jti)).size).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(frame.sent.length).toBeLessThan(14);
    await connecting;
  });
});

describe('the surroundings', () => {
  test('a page without a page around it fails at once', async () => {
    await expect(connect({ keyOrigins: [], src })).rejects.toMatchObject({
      code: 'ERR_NOT_EMBEDDED',
    });
  });

  test('a frame without the src parameter fails at once', async () => {
    const { keyOrigins, target } = options;
    await expect(connect({ keyOrigins, target })).rejects.toMatchObject({
      code: 'ERR_NOT_EMBEDDED',
      diagnosis: 'The address has no src parameter.',
    });
  });

  test('a page without WebCrypto fails at once', async () => {
    vi.stubGlobal('crypto', {});
    await expect(connect(options)).rejects.toMatchObject({ code: 'ERR0' });
    vi.unstubAllGlobals();
  });

  test('an aborted signal ends the handshake with its reason as cause', async () => {
    const abort = new AbortController();
    const connecting = connect({ ...options, signal: abort.signal });

    abort.abort('left');

    await expect(connecting).rejects.toMatchObject({ code: 'ERR_ABORTED', cause: 'left' });
    await expect(connect({ ...options, signal: abort.signal })).rejects.toMatchObject({
      code: 'ERR_ABORTED',
    });
    expect(frame.sent).toHaveLength(1);
  });

  test('nothing is left behind: no listener, no timer', async () => {
    vi.useFakeTimers();
    const added = vi.spyOn(frame.target, 'addEventListener');
    const removed = vi.spyOn(frame.target, 'removeEventListener');
    const abort = new AbortController();
    const connecting = connect({ ...options, signal: abort.signal });

    abort.abort();

    await expect(connecting).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    expect(added.mock.calls).toEqual(removed.mock.calls);
    expect(vi.getTimerCount()).toBe(0);
  });
});
