import { type AddressInfo, createServer, type Server } from 'node:net';
import { createGuardedFetch, systemTimer } from '@dowel/http';
import { defaultPlatformProfile, Secret } from '@dowel/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultPolicy } from './policy.ts';
import { refreshTokens } from './token-request.ts';

/** Accepts connections and sends nothing, not even TLS. */
let silent: Server;

beforeAll(async () => {
  silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void silent.close());

test('T3: a token request that ends before it is connected has spent nothing', async () => {
  const origin = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
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
