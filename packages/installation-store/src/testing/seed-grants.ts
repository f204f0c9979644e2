/** Installations with a value in every sealed column. Each value names its installation. */
import { randomUUID } from 'node:crypto';
import { Secret } from '@dowel/schema';
import type { ClientAccess, Grant, TokenSet } from '@dowel/token-client';
import { operatorSession } from '../contract/check.ts';
import type { Store } from '../store.ts';
import type { Installation } from '../stores/find-installation.ts';

/** Long enough for a search, and different in every encoding. */
export const canary = 'canary/+?"ü\\';

export function accessOf(name: string): ClientAccess {
  return {
    baseUrl: 'https://acme.example.com',
    clientId: 'client',
    clientSecret: new Secret(`${canary} client secret of ${name}`),
    tokenEndpointUrl: 'api/oauth/token',
    trigger: { url: '/api/trigger', body: new Secret(`${canary} trigger body of ${name}`) },
  };
}

export function tokensOf(name: string): TokenSet {
  return {
    accessToken: new Secret(`${canary} access token of ${name}`),
    refreshToken: new Secret(`${canary} refresh token of ${name}`),
    grantedScopes: ['plugin:notify'],
    issuedAt: 1_000,
    expiresAt: null,
  };
}

/** Of the session whose token's hash is `name`. */
export function claimsOf(name: string) {
  return { name: `${canary} claim of ${name}` };
}

/** Of the operator's session whose token's hash is `name`. */
export function idTokenOf(name: string): Secret {
  return new Secret(`${canary} ID token of ${name}`);
}

/** Throws unless the grant's secrets are those that were stored for `name`. */
export function assertGrantOf(name: string, grant: Grant | undefined): void {
  const isWhole =
    grant?.clientSecret.reveal() === accessOf(name).clientSecret.reveal() &&
    grant.trigger?.body?.reveal() === accessOf(name).trigger?.body?.reveal() &&
    grant.accessToken.reveal() === tokensOf(name).accessToken.reveal() &&
    grant.refreshToken?.reveal() === tokensOf(name).refreshToken?.reveal();
  if (!isWhole) throw new Error(`The grant of ${name} is not what was stored`);
}

/** Transactions wait for ten connections, and on a busy machine not for as long as two hundred take. */
const atOnce = 20;

export async function seedGrants(store: Store, count: number): Promise<Installation[]> {
  const seeded: Installation[] = [];
  while (seeded.length < count) {
    const length = Math.min(atOnce, count - seeded.length);
    seeded.push(...(await Promise.all(Array.from({ length }, () => seedOne(store)))));
  }
  return seeded;
}

function seedOne(store: Store): Promise<Installation> {
  return store.transaction(async ({ installations, grants, renewals, sessions }) => {
    const issuer = 'https://acme.example.com';
    const key = { issuer, tenantId: randomUUID(), pluginId: randomUUID() };
    const installation = await installations.begin(key, 1, 1);
    const access = accessOf(key.tenantId);
    const tokens = tokensOf(key.tenantId);
    await grants.replace(installation, access, tokens, { iat: 1, newestIat: 6 });
    const { baseUrl, trigger } = access;
    const intent = { iat: 10, codeDigest: 'digest', baseUrl, trigger };
    await renewals.beginExchange(installation, intent, 0);
    const { id: installationId, generation } = installation;
    const session = { installationId, generation, userId: 'user', instanceId: '' };
    const page = { match: 'unmatched', form: '', claims: claimsOf(key.tenantId) } as const;
    const expiresAt = Date.now() + 900_000;
    await sessions.createPluginSession(key.tenantId, { ...session, expiresAt }, 'jti', page);
    const ofOperator = operatorSession({ expiresAt, idleAt: expiresAt });
    await sessions.createAdminSession(key.tenantId, ofOperator, idTokenOf(key.tenantId));
    return installation;
  });
}
