import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createGuardedFetch, systemTimer } from '@dowel/http';
import { defaultPlatformProfile, Secret } from '@dowel/schema';
import { expect, onTestFinished, test } from 'vitest';
import { defaultPolicy } from './policy.ts';
import { refreshTokens } from './token-request.ts';

test.each<[string, (socket: Socket) => unknown]>([
  ['whose host sends nothing, not even TLS', () => {}],
  ['whose host resets the connection during TLS', (socket) => socket.resetAndDestroy()],
  ['whose host ends the connection during TLS', (socket) => socket.end()],
])('T3: a token request %s has spent nothing', async (_, receive) => {
  const host = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => receive(socket));
  });
  onTestFinished(() => void host.close());
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const origin = `https://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const refreshing = refreshTokens(
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
    },
  );

  await expect(refreshing).rejects.toMatchObject({
    reason: 'token_endpoint_unreachable',
    mayBeSpent: false,
  });
});
