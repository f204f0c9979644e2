import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createGuardedFetch, systemTimer, type Timer } from '@dowel/http';
import { defaultPlatformProfile, Secret } from '@dowel/schema';
import { expect, onTestFinished, test } from 'vitest';
import { defaultPolicy } from './policy.ts';
import { createMemoryDatabase } from './testing/memory-database.ts';
import { storeGrant } from './testing/store-grant.ts';
import { createTokenClient } from './token-client.ts';
import { refreshTokens } from './token-request.ts';
import { isUnsent } from './unsent-request.ts';

/** The origin of a TLS host that does this with the first bytes of each connection, and answers nothing. */
async function startHost(receive: (socket: Socket) => unknown): Promise<string> {
  const host = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => receive(socket));
  });
  onTestFinished(() => void host.close());
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(host.address() as AddressInfo).port}`;
}

const refresh = (origin: string, options: { signal?: AbortSignal; timer?: Timer } = {}) =>
  refreshTokens(
    {
      baseUrl: origin,
      clientId: 'client',
      clientSecret: new Secret('secret'),
      tokenEndpointUrl: '/token',
      trigger: null,
    },
    {
      accessToken: new Secret('access-0'),
      refreshToken: new Secret('refresh-0'),
      grantedScopes: [],
      issuedAt: 0,
      expiresAt: null,
    },
    {
      profile: defaultPlatformProfile,
      fetch: createGuardedFetch({ internalOrigins: [origin] }),
      now: Date.now,
      timer: systemTimer,
      limitMs: () => defaultPolicy.repeatTimeoutMs,
      tenantId: 'd290f1ee-6c54-4b01-90e6-d701748f0851',
      ...options,
    },
  );

const unspent = { reason: 'token_endpoint_unreachable', mayBeSpent: false, mayArrive: false };

test.each<[string, (socket: Socket) => unknown]>([
  ['whose host sends nothing, not even TLS', () => {}],
  ['whose host resets the connection during TLS', (socket) => socket.resetAndDestroy()],
  ['whose host ends the connection during TLS', (socket) => socket.end()],
])('T3: a token request %s has spent nothing', async (_, receive) => {
  await expect(refresh(await startHost(receive))).rejects.toMatchObject(unspent);
});

test('T3: a token request that the end of the process stops during TLS has spent nothing', async () => {
  const closing = new AbortController();
  const origin = await startHost(() => closing.abort());

  await expect(refresh(origin, { signal: closing.signal })).rejects.toMatchObject(unspent);
});

test.each([
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'write', false],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', undefined, false],
  ['EHOSTUNREACH', 'read', false],
  ['ENETUNREACH', 'write', false],
  ['ECONNRESET', 'read', false],
  ['EHOSTUNREACH', 'connect', true],
  ['ENETUNREACH', 'connect', true],
  ['ECONNREFUSED', 'connect', true],
  ['ERR_TLS_CERT_ALTNAME_INVALID', undefined, true],
  ['CERT_HAS_EXPIRED', undefined, true],
])(
  'T3: with a fetch of the caller, the error %s of the system call %s proves that nothing was sent: %s',
  (code, syscall, isProof) => {
    const cause = Object.assign(new Error(), { code, syscall });

    expect(isUnsent(new TypeError('fetch failed', { cause }))).toBe(isProof);
  },
);

/** A timer whose times end only when the test ends them. */
function createHeldTimer() {
  let newest = () => {};
  const timer: Timer = {
    ...systemTimer,
    after(_ms, callback) {
      newest = callback;
      return () => {};
    },
  };
  return { timer, endNewest: () => newest() };
}

test('T3: a token request whose time ends during TLS has spent nothing', async () => {
  const { timer, endNewest } = createHeldTimer();
  const origin = await startHost(endNewest);

  await expect(refresh(origin, { timer })).rejects.toMatchObject(unspent);
});

test('T3: a call whose time ends during TLS has had no effect', async () => {
  const database = await createMemoryDatabase();
  onTestFinished(() => database.destroy());
  const store = await database.open();
  const { timer, endNewest } = createHeldTimer();
  const origin = await startHost(endNewest);
  const expiresAt = Date.now() + 3_600_000;
  const id = await storeGrant({ store }, { baseUrl: origin, token: '1', expiresAt });
  const client = createTokenClient({ store, internalOrigins: [origin], timer });

  const error = await client.fetch(id, '/things', { method: 'POST' }).catch((thrown) => thrown);

  expect(error).toMatchObject({ cause: { code: 'CALL_TIMED_OUT' } });
  expect(isUnsent(error)).toBe(true);
});
