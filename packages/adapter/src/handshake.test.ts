import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect } from './connect.ts';
import type { FakeHost } from './fake-host/index.ts';
import type { HandshakeOptions } from './handshake.ts';
import { corrupt, openHost, optionsFor } from './testing/test-host.ts';

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

/** The nonces of the hellos. */
function nonces() {
  return host.messages.map(({ message }) => String(message.jti));
}

async function answer(claims: object = {}) {
  return host.sign({ sub: 'init', jti: nonces().at(-1), ...claims });
}

describe('a handshake', () => {
  test('resolves with the verified claims, the token and the origin of the host', async () => {
    await reopen({ issuer: 'https://tenant.example/home' });

    const { claims, initJwt, hostOrigin } = await connect(options);

    expect(claims).toMatchObject({
      iss: 'https://tenant.example/home',
      jti: nonces()[0],
      ctx: { userName: 'Robin Berg' },
    });
    expect(initJwt.split('.')).toHaveLength(3);
    expect(hostOrigin).toBe('https://tenant.example');
  });

  test.each([
    ['main', 'instance-1'],
    ['config', 'instance-1-cfg'],
  ] as const)(
    'of the view %s begins with a hello of %s without other content',
    async (view, iss) => {
      await reopen({ view });
      await connect(options);

      const jti = expect.stringMatching(/^([\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}){2}$/);
      expect(host.messages.length).toBeGreaterThan(0);
      for (const sent of host.messages) {
        expect(sent).toEqual({ message: { iss, sub: 'init', jti }, targetOrigin: '*' });
      }
    },
  );

  test('G12: has its own nonce: two random UUIDs, more than 128 bits', async () => {
    await reopen({});
    const random = vi.spyOn(crypto, 'randomUUID');
    await Promise.all([connect(options), connect(options)]);
    const [a, b, c, d] = random.mock.results.map(({ value }) => value);
    // On a busy machine a hello is sent again.
    expect([...new Set(nonces())]).toEqual([`${a}${b}`, `${c}${d}`]);
    expect(new Set([a, b, c, d]).size).toBe(4);
  });

  test('finds its id in the address', async () => {
    await reopen({ srcId: 'from the address' });
    history.replaceState(null, '', host.url());

    await expect(connect({ ...options, srcId: undefined })).resolves.toMatchObject({
      claims: { sub: 'init' },
    });
    history.replaceState(null, '', '/');
  });

  test('G08: ignores other windows, messages without a token, huge texts and other nonces', async () => {
    const connecting = connect(options);
    const initJwt = await answer();

    host.send(initJwt, { source: window });
    host.send(initJwt, { source: null });
    host.send({ token: initJwt });
    host.send([initJwt]);
    host.send(new String(initJwt));
    host.send(`${initJwt}${'A'.repeat(1_000_000)}`);
    host.send('hello');
    host.send('..');
    host.send(await answer({ jti: 'another' }));
    host.send(await answer({ jti: undefined }));
    host.send(initJwt);

    await expect(connecting).resolves.toMatchObject({ initJwt });
  });

  test('reads at most a million letters', async () => {
    const connecting = connect(options);
    const initJwt = await answer({ pad: '' });
    const room = 1_000_000 - initJwt.length;
    const long = await answer({ pad: 'A'.repeat(Math.floor((room * 3) / 4)) });
    const tooLong = await answer({ pad: 'A'.repeat(Math.ceil((room * 3) / 4) + 3) });
    expect([long.length <= 1_000_000, tooLong.length > 1_000_000]).toEqual([true, true]);

    for (const data of [tooLong, long, initJwt]) host.send(data);

    await expect(connecting).resolves.toMatchObject({ initJwt: long });
  });

  test('uses only the first answer: if it is bad, a later good one changes nothing', async () => {
    const connecting = connect(options);
    const initJwt = await answer();

    host.send(corrupt(initJwt));
    host.send(initJwt);

    await expect(connecting).rejects.toMatchObject({ code: 'ERR2', diagnosis: 'Bad signature' });
  });

  test('is not affected by messages after a good answer', async () => {
    const connecting = connect(options);
    const [first, second] = [await answer({ n: 1 }), await answer({ n: 2 })];

    for (const data of [first, second, corrupt(second)]) host.send(data);

    await expect(connecting).resolves.toMatchObject({ initJwt: first, claims: { n: 1 } });
  });

  test.each([
    ['another key signed it', { answers: 'forged' }, 'ERR2'],
    ['it is expired', { claims: { iat: 0, exp: 60 } }, 'ERR4'],
    ['it is not yet valid', { claims: { nbf: 9e9 } }, 'ERR5'],
    ['a claim has a bad name', { claims: { 'ctx.toString': 1 } }, 'ERR3'],
    ['its issuer is not trusted', { claims: { iss: 'https://a.example' } }, 'ERR1'],
  ] as const)('refuses a token when %s', async (_what, hostOptions, code) => {
    await reopen(hostOptions);
    await expect(connect(options)).rejects.toMatchObject({ name: 'PluginError', code });
  });

  test('refuses a token for any purpose other than init', async () => {
    const connecting = connect(options);
    host.send(await answer({ sub: 'save' }));
    await expect(connecting).rejects.toMatchObject({ code: 'ERR3' });
  });

  test('refuses a good token that comes from a page other than its issuer', async () => {
    const connecting = connect(options);
    host.send(await answer(), { origin: 'https://evil.example' });
    await expect(connecting).rejects.toMatchObject({
      code: 'ERR3',
      diagnosis: 'Not in parentOrigin: https://evil.example',
    });
  });

  test.each([
    ['no JSON', (jwt: string) => `A${jwt}`],
    ['no base64url', (jwt: string) => `${jwt}=`],
  ])('refuses an answer that is %s, with the error as the cause', async (_what, breakIt) => {
    const connecting = connect(options);
    host.send(breakIt(await answer()));
    await expect(connecting).rejects.toMatchObject({
      code: 'ERR2',
      diagnosis: 'Token is no JWT',
      cause: expect.anything(),
    });
  });

  test('keeps two on one page apart by their nonces', async () => {
    const first = connect(options);
    const initJwt = await answer();
    const second = connect(options);
    const otherJwt = await answer();

    host.send(otherJwt);
    host.send(initJwt);

    await expect(first).resolves.toMatchObject({ initJwt });
    await expect(second).resolves.toMatchObject({ initJwt: otherJwt });
  });
});

describe('an ended handshake', () => {
  test.each(['is answered', 'is refused', 'times out', 'is aborted'])(
    'leaves no listener and no timer when it %s',
    async (how) => {
      const added = vi.spyOn(globalThis, 'addEventListener');
      const timers = { set: vi.spyOn(globalThis, 'setTimeout'), clear: vi.fn() };
      vi.stubGlobal('clearTimeout', timers.clear.mockImplementation(clearTimeout));
      const abort = new AbortController();
      const timeoutMs = how === 'times out' ? 1 : 60_000;
      const connecting = connect({ ...options, signal: abort.signal, timeoutMs }).catch(() => {});

      if (how === 'is aborted') abort.abort();
      else if (how !== 'times out') {
        const initJwt = await answer();
        host.send(how === 'is refused' ? corrupt(initJwt) : initJwt);
      }
      await connecting;

      const listeners = added.mock.calls.filter(([type]) => type === 'message');
      const signals = listeners.map(([, , listening]) => (listening as AbortController).signal);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      const cleared = new Set(timers.clear.mock.calls.map(([timer]) => timer));
      // Timers for the next task need no clearing.
      const delays = timers.set.mock.calls.map(([, delayMs]) => delayMs);
      const left = timers.set.mock.results.filter(
        ({ value }, index) => delays[index] !== 0 && !cleared.has(value),
      );
      expect(left).toEqual([]);
    },
  );
});
