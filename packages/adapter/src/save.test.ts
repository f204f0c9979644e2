import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { InitClaims } from './claims.ts';
import type { Adapter } from './create-adapter.ts';
import type { FakeHost } from './fake-host/index.ts';
import { decideSave } from './save.ts';
import { createAdapterFor, nextTask, openHost } from './testing/test-host.ts';
import { trustIssuers } from './trust-issuers.ts';

let host: FakeHost;
let adapter: Adapter;
let diagnostics: string[];

beforeEach(async () => {
  host = await openHost({ view: 'config' });
  adapter = createAdapterFor(host);
  diagnostics = [];
  adapter.onDiagnostic((diagnosis) => diagnostics.push(diagnosis));
  await adapter.init();
});

afterEach(async () => {
  vi.restoreAllMocks();
  adapter.destroy();
  host.close();
  await nextTask(); // Ends the adapter, so that it gets no messages of the next test.
});

function answers() {
  return host.messages.filter(({ message }) => message.sub === 'setConfig');
}

/** Resolves after the adapter has had time to answer all earlier messages. */
async function settle() {
  const saving = host.save();
  const stop = adapter.onSave(() => 'settled');
  await saving;
  stop();
  await nextTask();
}

describe('a save', () => {
  test.each([true, false, { colour: 'red' }, { list: [{ a: 1 }] }])(
    'is answered with the result of the handler: %j',
    async (answer) => {
      adapter.onSave(() => answer);
      expect(await host.save()).toEqual(answer);
    },
  );

  test('is answered by the config view, for the request, to the host only', async () => {
    adapter.onSave(async () => true);
    await host.save();

    const jti = expect.stringMatching(/^[\w-]{36}$/);
    const message = { iss: 'instance-1-cfg', sub: 'setConfig', jti, data: true };
    expect(answers()).toEqual([{ message, targetOrigin: host.origin }]);
  });

  test('gives user and values to the handler', async () => {
    const handler = vi.fn(() => true);
    adapter.onSave(handler);
    await host.save();
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ sub: 'save', ctx: expect.objectContaining({ userId: 'user-1' }) }),
      expect.any(AbortSignal),
      expect.any(String),
    );
  });

  test('that names its tenant by its issuer only is answered', async () => {
    adapter.onSave(() => true);

    host.send(await host.sign({ sub: 'save', jti: 'short', 'ctx.tenantId': undefined }));
    await settle();

    expect(answers().map(({ message }) => message.jti)).toContain('short');
  });

  test('is answered once, however often the host repeats it', async () => {
    const handler = vi.fn((_claims: InitClaims) => true);
    adapter.onSave(handler);
    const saveJwt = await host.sign({ sub: 'save', jti: 'one' });

    for (const _time of [1, 2]) host.send(saveJwt);
    await vi.waitFor(() => expect(answers()).toHaveLength(1), 120_000);
    host.send(saveJwt);
    await settle();

    expect(handler.mock.calls.filter(([claims]) => claims.jti === 'one')).toHaveLength(1);
    expect(answers().filter(({ message }) => message.jti === 'one')).toHaveLength(1);
  });

  test('is not answered after the handler is removed', async () => {
    const handler = vi.fn(() => true);
    adapter.onSave(handler)();
    await settle();
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('a message that is not a valid save', () => {
  test.each<[string, object, Parameters<FakeHost['send']>[1]]>([
    ['of another window', {}, { source: null }],
    ['of this window', {}, { source: window }],
    ['of another origin', {}, { origin: 'https://evil.example' }],
    ['of an opaque origin', {}, { origin: 'null' }],
    ['for init', { sub: 'init' }, {}],
    ['without a subject', { sub: undefined }, {}],
    ['by another user', { 'ctx.userId': 'user-2' }, {}],
    ['of another tenant', { 'ctx.tenantId': 'other' }, {}],
    ['of another issuer', { iss: 'https://tenant.example/other' }, {}],
    ['that is expired', { exp: 1 }, {}],
    ['without a jti', { jti: undefined }, {}],
    ['whose jti is no text', { jti: 7 }, {}],
    ['whose jti is empty', { jti: '' }, {}],
  ])('%s is not answered', async (_what, claims, from) => {
    const handler = vi.fn((_claims: InitClaims) => true);
    const stop = adapter.onSave(handler);

    host.send(await host.sign({ sub: 'save', jti: 'hostile', ...claims }), from);
    await host.save();
    stop();

    expect(handler).toHaveBeenCalledTimes(1);
    expect(answers().map(({ message }) => message.jti)).not.toContain('hostile');
  });

  test('of another issuer with the same key and users is not answered', async () => {
    const keys = host.issuers[0]?.keys ?? [];
    adapter.destroy();
    adapter = createAdapterFor(host, { issuers: trustIssuers([{ issuer: /https:.*/, keys }]) });
    await adapter.init();
    adapter.onSave(() => true);

    const iss = `${host.origin}/other`;
    host.send(await host.sign({ sub: 'save', jti: 'hostile', iss }));
    await host.save();

    expect(answers().map(({ message }) => message.jti)).not.toContain('hostile');
  });

  test('is answered once, even if it is repeated for another handler', async () => {
    const save = await host.sign({ sub: 'save', jti: 'again' });
    const first = vi.fn(() => true);
    const stop = adapter.onSave(first);
    host.send(save);
    await vi.waitFor(() => expect(answers()).toHaveLength(1), 120_000);
    stop();

    const second = vi.fn(() => true);
    adapter.onSave(second);
    host.send(save);
    await host.save();

    expect(first).toHaveBeenCalledOnce();
    expect(second).toHaveBeenCalledOnce();
    expect(answers().filter(({ message }) => message.jti === 'again')).toHaveLength(1);
  });

  test('is answered by one of two handlers', async () => {
    adapter.onSave(() => 'first');
    adapter.onSave(() => 'second');

    expect(['first', 'second']).toContain(await host.save());
    await nextTask();

    expect(answers()).toHaveLength(1);
  });

  test('is not read if it is not a text', async () => {
    adapter.onSave(() => true);
    for (const data of [{}, null, 7, ['a.b.c'], 'A'.repeat(1_000_001)]) host.send(data);
    await settle();
    expect(diagnostics.filter((diagnosis) => /Error/.test(diagnosis))).toEqual([]);
  });

  test('is reported to the diagnostics if the host sent it', async () => {
    adapter.onSave(() => true);
    host.send('a.b.c');
    host.send(await host.sign({ sub: 'save', jti: 'theirs', 'ctx.userId': 'user-2' }));
    const refused = 'Not saved: New user: reload';
    await vi.waitFor(() => expect(diagnostics).toContain(refused), 120_000);
  });

  test('before the handshake is not answered', async () => {
    adapter.destroy();
    adapter = createAdapterFor(host);
    const handler = vi.fn(() => true);
    adapter.onSave(handler);
    host.send(await host.sign({ sub: 'save', jti: 'early' }));
    await adapter.init();
    await host.save();
    expect(handler).toHaveBeenCalledTimes(1);
  });
});

describe('a handler', () => {
  test.each<[string, () => never | object, string]>([
    [
      'throws',
      () => {
        throw new Error('Colour is missing');
      },
      'Not saved: Error: Colour is missing',
    ],
    ['rejects', () => Promise.reject('Too late'), 'Not saved: Too late'],
    ['rejects with nothing', () => Promise.reject(null), 'Not saved: null'],
    [
      'answers with a value that cannot be posted',
      () => ({ run() {} }),
      'Not saved: DataCloneError',
    ],
  ])('that %s refuses the save and reports the reason', async (_what, handler, why) => {
    adapter.onSave(handler);
    expect(await host.save()).toBe(false);
    await vi.waitFor(() => expect(diagnostics.join()).toContain(why), 120_000);
  });

  test('that throws what has no text refuses the save', async () => {
    adapter.onSave(() => Promise.reject(Object.create(null)));
    expect(await host.save()).toBe(false);
  });

  test('gets the verified request itself, for a back end that verifies it again', async () => {
    const handler = vi.fn((_claims: unknown, _signal: AbortSignal, _saveJwt: string) => true);
    adapter.onSave(handler);
    await host.save();
    const [claims, , saveJwt = ''] = handler.mock.calls[0] ?? [];
    const payload = JSON.parse(String(Buffer.from(saveJwt.split('.')[1] ?? '', 'base64url')));
    expect(payload).toMatchObject({ sub: 'save', jti: (claims as InitClaims).jti });
  });

  test('that only refuses reports nothing', async () => {
    adapter.onSave(() => false);
    await host.save();
    await nextTask();
    expect(diagnostics.filter((diagnosis) => diagnosis.startsWith('Not saved'))).toEqual([]);
  });

  test('has 30 seconds; then the save is refused and its signal aborts', async () => {
    const overtime = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(overtime.signal);
    const late = Promise.withResolvers<boolean>();
    const handler = vi.fn((_claims: unknown, _signal: AbortSignal) => late.promise);
    adapter.onSave(handler);
    const saving = host.save();
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce(), 120_000);

    overtime.abort(new DOMException('Over', 'TimeoutError'));

    expect(await saving).toBe(false);
    late.resolve(true);
    await nextTask();
    expect(timeout).toHaveBeenCalledExactlyOnceWith(30_000);
    expect(handler.mock.calls[0]?.[1].aborted).toBe(true);
    expect(answers()).toHaveLength(1);
    const over = 'Not saved: TimeoutError: Over';
    await vi.waitFor(() => expect(diagnostics.at(-1)).toBe(over), 120_000);
  });

  test('gets the rest of the 30 seconds, which begin before the verification', async () => {
    const overtime = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(overtime.signal);
    const verifying = vi.spyOn(crypto.subtle, 'verify');
    const given = Promise.withResolvers<AbortSignal>();
    adapter.onSave((_claims, signal) => {
      given.resolve(signal);
      return true;
    });
    await host.save();

    expect(await given.promise).toBe(overtime.signal);
    expect(timeout.mock.invocationCallOrder[0]).toBeLessThan(
      verifying.mock.invocationCallOrder[0] ?? 0,
    );
  });

  test('is not called if the verification takes 30 seconds, and nothing hangs', async () => {
    const { keys, ...issuer } = host.issuers[0] ?? { issuer: '' };
    let isSlow = false;
    const parentOrigin = () => (isSlow ? new Promise<boolean>(() => {}) : true);
    adapter.destroy();
    adapter = createAdapterFor(host, {
      issuers: trustIssuers([{ ...issuer, keys }]),
      parentOrigin,
    });
    adapter.onDiagnostic((diagnosis) => diagnostics.push(diagnosis));
    await adapter.init();
    const overtime = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(overtime.signal);
    const handler = vi.fn(() => true);
    adapter.onSave(handler);
    isSlow = true;

    host.send(await host.sign({ sub: 'save', jti: 'slow' }));
    overtime.abort(new DOMException('Over', 'TimeoutError'));

    const ended = 'Not saved: TimeoutError: Over';
    await vi.waitFor(() => expect(diagnostics).toContain(ended), 120_000);
    expect(handler).not.toHaveBeenCalled();
    expect(answers()).toEqual([]);
  });

  test('may change its answer afterwards, because a copy is posted', async () => {
    const config = { colour: 'red' };
    const claims = (await adapter.init()).claims;
    const { signal } = new AbortController();
    const answer = await decideSave(() => config, { claims, signal, saveJwt: '' });
    config.colour = 'blue';
    expect(answer).toEqual({ colour: 'red' });
  });

  test('sends no answer after its adapter is destroyed', async () => {
    const late = Promise.withResolvers<boolean>();
    const handler = vi.fn(() => late.promise);
    adapter.onSave(handler);
    void host.save().catch(() => {});
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce(), 120_000);

    adapter.destroy();
    await nextTask();
    late.resolve(true);
    await nextTask();

    expect(answers()).toEqual([]);
  });
});
