/** Stores an installation with tokens without an event, for benchmarks whose platform issues them beforehand. */
import type { Installation, Store } from '@dowel/installation-store';
import { Secret } from '@dowel/schema';
import type { IssuedTokens } from './platform-run.ts';

export interface SeededGrant {
  issuer: string;
  baseUrl: string;
  tokens: IssuedTokens;
  isExpired: boolean;
}

type Stores = Pick<Store, 'installations' | 'grants'>;

export async function seedGrant(
  { installations, grants }: Stores,
  { issuer, baseUrl, tokens, isExpired }: SeededGrant,
): Promise<Installation> {
  const now = Date.now();
  const key = { issuer, tenantId: 'tenant', pluginId: 'plug-in' };
  const access = {
    baseUrl,
    clientId: 'client',
    clientSecret: new Secret('secret'),
    tokenEndpointUrl: 'token',
    trigger: { url: 'trigger', body: new Secret('{}') },
  };
  const set = {
    accessToken: new Secret(tokens.accessToken),
    refreshToken: new Secret(tokens.refreshToken),
    grantedScopes: ['plugin:notify'],
    issuedAt: now - 60_000,
    expiresAt: isExpired ? now - 1_000 : now + 3_600_000,
  };
  const installation = await installations.begin(key, 1, now);
  await grants.replace(installation, access, set, { iat: 1, newestIat: 1 });
  return installation;
}
