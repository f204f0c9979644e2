/** Stores a grant without an event, for tests that play the platform themselves. */
import { randomUUID } from 'node:crypto';
import { Secret } from '@dowel/schema';
import type { ClientAccess } from '../token-store.ts';
import type { ReceivingStore } from './receive-event.ts';

/** Stores an installation of a tenant of its own, and returns its id. `expiresAt` in epoch milliseconds. */
export async function storeGrant(
  { store }: { store: ReceivingStore },
  {
    baseUrl,
    token,
    expiresAt,
    trigger = null,
  }: Pick<ClientAccess, 'baseUrl'> &
    Partial<Pick<ClientAccess, 'trigger'>> & { token: string; expiresAt: number },
): Promise<string> {
  const key = { issuer: baseUrl, tenantId: randomUUID(), pluginId: randomUUID() };
  const installation = await store.installations.begin(key, 1, Date.now());
  const access = {
    baseUrl,
    clientId: 'client',
    clientSecret: new Secret('secret'),
    tokenEndpointUrl: '/token',
    trigger,
  };
  const tokens = {
    accessToken: new Secret(`access-${token}`),
    refreshToken: new Secret(`refresh-${token}`),
    grantedScopes: [],
    issuedAt: 1,
    expiresAt,
  };
  await store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens, { iat: 1, newestIat: 6 }),
  );
  return installation.id;
}
