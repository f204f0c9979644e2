/**
 * Codes, access tokens and refresh tokens of one tenant (Spec §4.2; RFC 6749). Contains no HTTP.
 *
 * It has its own clock, which is ahead of real time by `lab.clockOffsetSeconds` and decides every
 * expiry: a test moves this clock to let tokens expire. Events are still signed with the real time,
 * because a plug-in compares their `iat` and `exp` with its own clock.
 */
import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { TokenResponsePayload } from '@dowel/schema';
import type { Lab } from './control-api.ts';
import { removeFirst } from './remove-first.ts';
import type { Client, Grant } from './snapshot.ts';

const codeLifetimeMs = 60_000;
/** Older grants of a client are dropped: each access_token event starts one. */
const maxGrantsPerClient = 20;

export type GrantedTokens = Pick<
  TokenResponsePayload,
  'access_token' | 'token_type' | 'refresh_token' | 'expires_in' | 'scope' | 'jti'
>;

/** What a valid access token grants. */
export interface AccessGrant {
  readonly pluginId: string;
  readonly scopes: readonly string[];
}

export interface AuthorizationServer {
  /** The client of an installation; the first call creates it. */
  register(pluginId: string): Client;
  /** Voids codes, tokens and the trigger token of the installation. */
  forget(pluginId: string): void;
  issueCode(client: Client): string;
  authenticate(clientId: string, clientSecret: string): Client | undefined;
  isTriggerToken(pluginId: string, triggerToken: string): boolean;
  /** Undefined means invalid_grant. A reused code also revokes the tokens that it was exchanged for. */
  authorizationCodeGrant(client: Client, code: string): GrantedTokens | undefined;
  refreshTokenGrant(client: Client, refreshToken: string): GrantedTokens | undefined;
  introspect(accessToken: string): AccessGrant | undefined;
  revoke(pluginId: string, what: 'accessTokens' | 'refreshTokens'): void;
  countTokens(pluginId: string): { accessTokens: number; refreshTokens: number };
}

export function createAuthorizationServer(options: {
  /** Changed in place. */
  clients: Client[];
  lab: Readonly<Lab>;
  /** Real time in epoch milliseconds. */
  now: () => number;
}): AuthorizationServer {
  const { clients, lab, now } = options;
  const clock = () => now() + lab.clockOffsetSeconds * 1000;
  const clientOf = (pluginId: string) => clients.find((each) => each.pluginId === pluginId);
  const grantsOf = (pluginId: string) => clientOf(pluginId)?.grants ?? [];
  const isLive = ({ accessToken }: Grant) =>
    accessToken !== null && accessToken.expiresAt > clock();

  /** The old access token is void at once; the old refresh token only when they rotate. */
  function renew(grant: Grant): GrantedTokens {
    const lifetimeSeconds = lab.accessTokenLifetimeSeconds;
    const value = randomSecret();
    grant.accessToken = { value, expiresAt: clock() + lifetimeSeconds * 1000 };
    if (grant.refreshToken === null || lab.rotateRefreshTokens) grant.refreshToken = randomSecret();
    return {
      access_token: value,
      token_type: 'bearer',
      refresh_token: grant.refreshToken,
      expires_in: lifetimeSeconds,
      scope: grant.scopes.join(' '),
      jti: randomUUID(),
    };
  }

  return {
    register(pluginId) {
      const known = clientOf(pluginId);
      if (known) return known;
      const client = createClient(pluginId);
      clients.push(client);
      return client;
    },
    forget: (pluginId) => void removeFirst(clients, (each) => each.pluginId === pluginId),
    issueCode({ grants }) {
      const code = randomSecret();
      grants.push({
        code,
        codeExpiresAt: clock() + codeLifetimeMs,
        exchanged: false,
        scopes: [],
        accessToken: null,
        refreshToken: null,
      });
      if (grants.length > maxGrantsPerClient) grants.shift();
      return code;
    },
    authenticate(clientId, clientSecret) {
      const client = clients.find((each) => each.clientId === clientId);
      return equalSecrets(client?.clientSecret ?? randomSecret(), clientSecret)
        ? client
        : undefined;
    },
    isTriggerToken(pluginId, triggerToken) {
      return equalSecrets(clientOf(pluginId)?.triggerToken ?? randomSecret(), triggerToken);
    },
    authorizationCodeGrant({ grants }, code) {
      const grant = grants.find((each) => each.code === code);
      if (!grant) return undefined;
      if (grant.exchanged) {
        grant.accessToken = null;
        grant.refreshToken = null;
        return undefined;
      }
      if (grant.codeExpiresAt <= clock()) return undefined;
      grant.exchanged = true;
      grant.scopes = [...lab.grantedScopes];
      return renew(grant);
    },
    refreshTokenGrant({ grants }, refreshToken) {
      const grant = grants.find((each) => each.refreshToken === refreshToken);
      return grant && renew(grant);
    },
    introspect(accessToken) {
      for (const { pluginId, grants } of clients) {
        const grant = grants.find((each) => each.accessToken?.value === accessToken);
        if (grant) return isLive(grant) ? { pluginId, scopes: grant.scopes } : undefined;
      }
      return undefined;
    },
    revoke(pluginId, what) {
      for (const grant of grantsOf(pluginId)) {
        if (what === 'accessTokens') grant.accessToken = null;
        else grant.refreshToken = null;
      }
    },
    countTokens(pluginId) {
      const grants = grantsOf(pluginId);
      return {
        accessTokens: grants.filter(isLive).length,
        refreshTokens: grants.filter((grant) => grant.refreshToken !== null).length,
      };
    },
  };
}

function createClient(pluginId: string): Client {
  return {
    pluginId,
    clientId: randomUUID(),
    // Letters beyond ASCII, a colon and form delimiters: real secrets contain them, and careless
    // Basic headers fail on them.
    clientSecret: `ü:${randomSecret()}+%&=€`,
    triggerToken: randomSecret(),
    grants: [],
  };
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** In constant time: digests have the same length for secrets of any length. */
function equalSecrets(expected: string, actual: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(actual));
}
