/**
 * Codes and tokens (RFC 6749 §4.1, §6). A grant is all that came from one code: its access token, its
 * refresh token, and the refresh tokens that were spent since.
 */
import { randomUUID } from 'node:crypto';
import { joinScopes, type TokenResponsePayload } from '@dowel/schema';
import { removeFirst } from '../remove-first.ts';
import type { Client, Grant } from './client-schema.ts';
import type { AuthorizationServer, Terms } from './server.ts';

/** Each access_token event starts a grant, and its code may never be presented. */
const maxGrantsPerClient = 20;
/** The oldest are dropped. Presenting a dropped one does not end its grant. */
const maxSpentRefreshTokens = 100;

/** The access of a valid access token. */
export interface Access {
  readonly pluginId: string;
  readonly scopes: readonly string[];
}

/** Issues the code of an access_token event. It starts a grant. */
export function issueCode(
  server: AuthorizationServer,
  { grants }: Client,
  { now, rules }: Terms,
): string {
  const code = server.createSecret('code');
  if (grants.length >= maxGrantsPerClient) dropLeastNeeded(grants, now);
  grants.push({
    code,
    codeExpiresAt: now + rules.codeLifetimeSeconds * 1000,
    exchanged: false,
    scopes: [],
    accessToken: null,
    olderAccessTokens: [],
    refreshToken: null,
    spentRefreshTokens: [],
  });
  return code;
}

/** A grant without a valid code or token is answered like an unknown one. A grant with tokens goes last. */
function dropLeastNeeded(grants: Grant[], now: number): void {
  const isUsable = (grant: Grant) =>
    grant.refreshToken !== null || validAccessTokens(grant, now).length > 0;
  const matchers: ((grant: Grant) => boolean)[] = [
    (grant) => !isUsable(grant) && (grant.exchanged || grant.codeExpiresAt <= now),
    (grant) => !grant.exchanged,
    () => true,
  ];
  matchers.some((matches) => removeFirst(grants, matches));
}

/** Returns undefined for `invalid_grant`: the code is unknown, expired, or spent. */
export function authorizationCodeGrant(
  server: AuthorizationServer,
  { grants }: Client,
  { code, ...terms }: Terms & { code: string },
): TokenResponsePayload | undefined {
  const { now, rules } = terms;
  const grant = grants.find((each) => each.code === code);
  if (!grant) return undefined;
  if (grant.exchanged) {
    if (rules.reuseEndsGrant) endGrant(grant);
    return undefined;
  }
  if (grant.codeExpiresAt <= now) return undefined;
  if (rules.exchangeEndsOlderGrants) grants.forEach(endGrant);
  grant.exchanged = true;
  grant.scopes = [...rules.grantedScopes];
  return issueTokens(server, grant, { ...terms, isNew: true });
}

/** Returns undefined for `invalid_grant`: the refresh token is unknown, revoked, or spent. */
export function refreshTokenGrant(
  server: AuthorizationServer,
  { grants }: Client,
  { refreshToken, ...terms }: Terms & { refreshToken: string },
): TokenResponsePayload | undefined {
  const { now, rules } = terms;
  const grant = grants.find((each) => each.refreshToken === refreshToken);
  if (grant) {
    if (rules.refreshTokens === 'rotate') spendRefreshToken(grant, refreshToken, now);
    return issueTokens(server, grant, terms);
  }
  const reuse = findReuse(grants, refreshToken);
  if (!reuse) return undefined;
  const isInGrace = now < reuse.spentAt + rules.reuseGraceMs && reuse.grant.refreshToken !== null;
  if (isInGrace) return issueTokens(server, reuse.grant, terms);
  if (rules.reuseEndsGrant) endGrant(reuse.grant);
  return undefined;
}

function spendRefreshToken(
  { spentRefreshTokens }: Grant,
  refreshToken: string,
  spentAt: number,
): void {
  spentRefreshTokens.push({ value: refreshToken, spentAt });
  if (spentRefreshTokens.length > maxSpentRefreshTokens) spentRefreshTokens.shift();
}

function findReuse(
  grants: Grant[],
  refreshToken: string,
): { grant: Grant; spentAt: number } | undefined {
  for (const grant of grants) {
    const spent = grant.spentRefreshTokens.find(({ value }) => value === refreshToken);
    if (spent) return { grant, spentAt: spent.spentAt };
  }
  return undefined;
}

function issueTokens(
  { tenantId, createSecret }: AuthorizationServer,
  grant: Grant,
  { now, rules, isNew = false }: Terms & { isNew?: boolean },
): TokenResponsePayload {
  keepOlderAccessTokens(grant, { now, rules });
  const value = createSecret('access');
  const lifetimeSeconds = rules.accessTokenLifetimeSeconds;
  grant.accessToken = { value, expiresAt: now + lifetimeSeconds * 1000 };
  const isReplaced = isNew ? rules.givesRefreshToken : rules.refreshTokens === 'rotate';
  if (isReplaced) grant.refreshToken = createSecret('refresh');
  const isSaid = isReplaced || (!isNew && rules.refreshTokens === 'repeat');
  return {
    access_token: value,
    token_type: 'bearer',
    ...(isSaid && grant.refreshToken !== null && { refresh_token: grant.refreshToken }),
    expires_in: lifetimeSeconds,
    scope: joinScopes(grant.scopes),
    tenant: tenantId,
    jti: randomUUID(),
  };
}

function keepOlderAccessTokens(grant: Grant, { now, rules }: Terms): void {
  if (rules.refreshVoidsAccessToken || grant.accessToken === null) {
    grant.olderAccessTokens = [];
    return;
  }
  const { accessToken, olderAccessTokens } = grant;
  grant.olderAccessTokens = [...olderAccessTokens, accessToken].filter(
    ({ expiresAt }) => expiresAt > now,
  );
}

/** Undefined: the access token is unknown, revoked, or expired. */
export function introspect(
  { clients }: AuthorizationServer,
  accessToken: string,
  now: number,
): Access | undefined {
  for (const { pluginId, grants } of clients) {
    const grant = grants.find((each) =>
      validAccessTokens(each, now).some(({ value }) => value === accessToken),
    );
    if (grant) return { pluginId, scopes: grant.scopes };
  }
  return undefined;
}

function validAccessTokens({ accessToken, olderAccessTokens }: Grant, now: number) {
  const all = accessToken ? [accessToken, ...olderAccessTokens] : olderAccessTokens;
  return all.filter(({ expiresAt }) => expiresAt > now);
}

/** Counts the valid tokens of a client. */
export function countTokens(
  { grants }: Client,
  now: number,
): { accessTokens: number; refreshTokens: number } {
  return {
    accessTokens: grants.flatMap((grant) => validAccessTokens(grant, now)).length,
    refreshTokens: grants.filter(({ refreshToken }) => refreshToken !== null).length,
  };
}

/** Voids all access tokens of a client; its refresh tokens still work. */
export function revokeAccessTokens({ grants }: Client): void {
  for (const grant of grants) voidAccessTokens(grant);
}

/** Voids all refresh tokens of a client; its access tokens work until they expire. */
export function revokeRefreshTokens({ grants }: Client): void {
  for (const grant of grants) grant.refreshToken = null;
}

/** Voids all access tokens and refresh tokens of the client. */
export function revokeGrants({ grants }: Client): void {
  for (const grant of grants) endGrant(grant);
}

function endGrant(grant: Grant): void {
  voidAccessTokens(grant);
  grant.refreshToken = null;
}

function voidAccessTokens(grant: Grant): void {
  grant.accessToken = null;
  grant.olderAccessTokens = [];
}
