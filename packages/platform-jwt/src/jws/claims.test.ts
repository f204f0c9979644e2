/** Threats A09, A10, A12, A13, A17 to A20 and G03: a correct signature alone is not enough. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PlatformJwtError, platformJwtReasons } from '../errors.ts';
import {
  initClaims,
  installClaims,
  issuer,
  pluginId,
  startTestPlatform,
  type TestPlatform,
  tenantId,
  verdictOf,
} from '../testing/platform.ts';

const nowMs = Date.UTC(2026, 0, 1);
const events = ['install', 'uninstall', 'instance_add', 'instance_remove', 'access_token'] as const;

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

function createVerifier(options: { audience?: string[] } = {}) {
  return platform.createVerifier({ now: () => nowMs, ...options });
}

/** The verdict on a correctly signed install event with these claims. */
function verdict(changes: Record<string, unknown>, options: { audience?: string[] } = {}) {
  const jwt = platform.sign({ ...installClaims(nowMs), ...changes });
  return verdictOf(createVerifier(options).verifyEvent(jwt, 'install'));
}

/** The same for a payload that cannot be made from an object. */
function verdictOnText(payload: string) {
  return verdictOf(createVerifier().verifyEvent(platform.sign(payload), 'install'));
}

describe('kinds', () => {
  test.each(events)("A09: a user's init token is not accepted as a %s event", async (event) => {
    const claims = { ...installClaims(nowMs), ...initClaims(nowMs), instanceId: 'i', client: {} };

    expect(await verdictOf(createVerifier().verifyEvent(platform.sign(claims), event))).toBe(
      'sub_mismatch',
    );
  });

  test('A10: an event of one kind is refused at the address of every other', async () => {
    for (const sub of events) {
      const jwt = platform.sign({ ...installClaims(nowMs), sub });
      for (const event of events.filter((name) => name !== sub)) {
        const verification = createVerifier().verifyEvent(jwt, event);
        expect(await verdictOf(verification), `${sub} at ${event}`).toBe('sub_mismatch');
      }
    }
  });

  test.each(['Install', 'install ', '', null, ['install'], undefined])(
    'A10: sub %j is not accepted for install',
    async (sub) => {
      expect(['sub_mismatch', 'claims_invalid']).toContain(await verdict({ sub }));
    },
  );

  test('G03: a lifecycle event opens no session', async () => {
    const jwt = platform.sign({ ...initClaims(nowMs), ...installClaims(nowMs) });

    expect(await verdictOf(createVerifier().verifyInit(jwt))).toBe('sub_mismatch');
  });

  test.each(['ctx.tenantId', 'ctx.userId', 'jti'])('G03: an init token needs %s', async (name) => {
    const jwt = platform.sign({ ...initClaims(nowMs), [name]: undefined });

    expect(await verdictOf(createVerifier().verifyInit(jwt))).toBe('claims_invalid');
  });

  test('an init token gives the claims of its user', async () => {
    const claims = await createVerifier().verifyInit(platform.sign(initClaims(nowMs)));

    expect(claims).toMatchObject({ iss: issuer, 'ctx.userId': 'u-1', 'ctx.userName': 'Ada' });
  });
});

describe('shapes', () => {
  const good = JSON.stringify(installClaims());

  test.each([
    ['tenantId twice', good.replace('{', `{"tenantId":"${pluginId}",`)],
    ['tenantId twice, one escaped', good.replace('{', `{"\\u0074enantId":"${pluginId}",`)],
    ['a member twice at depth', good.replace('{', '{"client":{"a":1,"a":2},')],
    ['__proto__', good.replace('{', '{"__proto__":{"tenantId":"x"},')],
    ['constructor', good.replace('{', '{"constructor":{"prototype":{}},')],
    ['a NUL', good.replace('{', '{"x":"a\\u0000b",')],
    ['a lone surrogate', good.replace('{', '{"x":"\\ud800",')],
    ['nine levels', good.replace('{', `{"x":${'['.repeat(8)}${']'.repeat(8)},`)],
    ['an array', `[${good}]`],
    ['null', 'null'],
    ['a string', JSON.stringify(good)],
  ])('A12: a signed payload with %s is refused', async (_, payload) => {
    expect(await verdictOnText(payload)).toBe('claims_invalid');
  });

  test.each([
    '',
    ' ',
    '{',
    `${good}x`,
    `${good}${good}`,
    good.replaceAll('"', "'"),
    `\ufeff${good}`,
  ])('A12: a signed payload that is not JSON is refused (%#)', async (payload) => {
    expect(await verdictOnText(payload || '\n')).toBe('bad_token_format');
  });

  test.each([
    { tenantId: [tenantId] },
    { tenantId: { $ne: '' } },
    { tenantId: '' },
    { tenantId: ` ${tenantId}` },
    { tenantId: 5 },
    { tenantId: null },
    { tenantId: undefined },
    { pluginId: [pluginId] },
    { pluginId: true },
    { iss: [issuer] },
    { iss: { toString: 'x' } },
    { iss: null },
    { iss: undefined },
    { sub: ['install'] },
  ])('A13: %j is refused', async (changes) => {
    expect(await verdict(changes)).toBe('claims_invalid');
  });

  test('A13: spellings of one UUID name one installation', async () => {
    const jwt = platform.sign({ ...installClaims(nowMs), tenantId: tenantId.toUpperCase() });

    expect(await createVerifier().verifyEvent(jwt, 'install')).toMatchObject({ tenantId });
  });
});

describe('audience', () => {
  test.each([
    ["another's", 'https://other.test', ['https://we.test'], 'claims_invalid'],
    ['empty', '', ['https://we.test'], 'claims_invalid'],
    ['an empty list', [], ['https://we.test'], 'claims_invalid'],
    ['a number', 5, ['https://we.test'], 'claims_invalid'],
    ['any, while none is ours', 'https://we.test', [], 'claims_invalid'],
    ['ours', 'https://we.test', ['https://we.test'], 'accepted'],
    ['a list with ours', ['x', 'https://we.test'], ['https://we.test'], 'accepted'],
    ['absent', undefined, ['https://we.test'], 'accepted'],
  ])('A19: an aud that is %s (%j) gets the right verdict', async (_, aud, audience, expected) => {
    expect(await verdict({ aud }, { audience })).toBe(expected);
  });
});

describe('tolerance', () => {
  test.each([
    ['no jti', { jti: undefined }],
    ['a jti that is not a UUID', { jti: '42/x' }],
    ['a jti that is no text', { jti: ['x'] }],
    ['unknown claims', { flavour: { deep: [1, { b: null }] }, certificate: 'MIIB' }],
    ['an issuer with a path', { iss: `${issuer}/home` }],
  ])('A20: an install event with %s is accepted', async (_, changes) => {
    expect(await verdict(changes)).toBe('accepted');
  });

  test('A20: unknown claims are kept', async () => {
    const jwt = platform.sign({ ...installClaims(nowMs), flavour: 'new' });

    expect(await createVerifier().verifyEvent(jwt, 'install')).toMatchObject({ flavour: 'new' });
  });
});

describe('another spelling of an access_token event', () => {
  const client = {
    client_id: 'c',
    client_secret: 's',
    authorization_code: 'code',
    token_endpoint_url: 'api/oauth/token',
    trigger_event: { uri: '/trigger', body: { token: 't' } },
  };

  test('A20: is read, and named for the log', async () => {
    const claims = { ...installClaims(nowMs), sub: 'access_token', base_url: '', client };
    const onRespelled = vi.fn();

    const jwt = platform.sign(claims, { header: { region: 'eu' } });
    const event = await createVerifier().verifyEvent(jwt, 'access_token', { onRespelled });

    expect(event).toMatchObject({
      base_url: issuer,
      client: { trigger_event: { url: '/trigger', method: 'POST' } },
    });
    expect(onRespelled).toHaveBeenCalledExactlyOnceWith([
      { pointer: '/base_url', type: 'empty' },
      { pointer: '/client/trigger_event/url', type: 'named uri' },
      { pointer: '/client/trigger_event/method', type: 'missing' },
      { pointer: '/client/trigger_event/body', type: 'object' },
      { pointer: '/?', type: 'unknown header' },
    ]);
  });
});

describe('refusals', () => {
  test('A17, A18: an error contains its reason and nothing of the token', async () => {
    const secret = 'kid\r\nlevel=info';
    const jwt = platform.sign(
      { ...installClaims(nowMs), sub: secret },
      { header: { kid: secret } },
    );

    const error = await createVerifier()
      .verifyEvent(jwt, 'install')
      .catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(PlatformJwtError);
    expect(String(error)).toBe('PlatformJwtError: The JWT was not accepted: sub_mismatch');
    expect(JSON.stringify(error)).not.toContain(secret);
    expect((error as PlatformJwtError).cause).toBeUndefined();
  });

  test('A18: an error about claims contains none of them', async () => {
    const jwt = platform.sign({
      ...installClaims(nowMs),
      tenantId: 'secret',
      pluginId: ['secret'],
    });

    const error = await createVerifier()
      .verifyEvent(jwt, 'install')
      .catch((thrown: unknown) => thrown);

    expect(String(error)).toBe('PlatformJwtError: The JWT was not accepted: claims_invalid');
    expect((error as PlatformJwtError).cause).toBeUndefined();
  });

  test('only a failed key download is a reason to try again', () => {
    const retryable = platformJwtReasons.filter((reason) => new PlatformJwtError(reason).retryable);

    expect(retryable).toEqual(['key_fetch_failed', 'key_fetch_limited']);
  });

  test('a clock that throws accepts nothing', async () => {
    const verifier = platform.createVerifier({
      now: () => {
        throw new Error('no clock');
      },
    });

    expect(await verdictOf(verifier.verifyEvent(platform.signInstall(), 'install'))).not.toBe(
      'accepted',
    );
  });

  test('an event of an unknown name is refused', async () => {
    const jwt = platform.sign({ ...installClaims(nowMs), sub: 'toString' });
    const verification = createVerifier().verifyEvent(jwt, 'toString' as 'install');

    expect(await verdictOf(verification)).toBe('signature_invalid');
  });
});
