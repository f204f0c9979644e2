/**
 * One tenant of the simulated platform: its installation of the plug-in, life after life, and the
 * strictest authorization server that RFC 6749 and RFC 9700 allow. A refresh ends the old access
 * token at once. A code or refresh token that is presented twice ends all that came from it.
 */
import type { Climate } from './climate.ts';
import { secretMark } from './simulation.ts';

export interface Life {
  number: number;
  clientId: string;
  clientSecret: string;
  triggerToken: string;
  state: 'installing' | 'installed' | 'ended';
}

/** All that came from one code. */
interface Family {
  code: string;
  life: Life;
  accessToken: string | null;
  expiresAt: number;
  refreshToken: string | null;
}

interface Code {
  life: Life;
  /** Of its event, which may have been signed again later. */
  iat: { first: number; last: number } | undefined;
  family: Family | undefined;
}

/** Where an access token came from. */
type Origin = { from: 'code'; code: string } | { from: 'refresh token'; refreshToken: string };

export interface TokenAnswer {
  status: number;
  body: Record<string, unknown>;
}

export interface TokenRequest {
  clientId: string;
  clientSecret: string;
  grantType: string | null;
  /** The code or the refresh token. */
  presented: string;
}

export interface IssueOptions
  extends Pick<Climate, 'lifetimeSeconds' | 'graceMs' | 'endsOlderGrants'> {
  now: number;
  saysLifetime: boolean;
  givesRefreshToken: boolean;
  keepsRefreshToken: boolean;
}

interface AuthorizationState {
  name: string;
  tenantId: string;
  codes: Map<string, Code>;
  /** Refresh tokens that were replaced. */
  spent: Map<string, { family: Family; at: number }>;
  /** By access token. */
  origins: Map<string, Origin>;
  /** The family of the newest exchange. */
  current: Family | undefined;
  life: Life | undefined;
  lives: number;
  /** Counts the secrets that were made. */
  made: number;
}

export type Tenant = ReturnType<typeof createTenant>;

export function createTenant(name: string, number: number) {
  const tenantId = `0000000${number}-6c54-4b01-90e6-d701748f0851`;
  const state: AuthorizationState = {
    name,
    tenantId,
    codes: new Map(),
    spent: new Map(),
    origins: new Map(),
    current: undefined,
    life: undefined,
    lives: 0,
    made: 0,
  };

  return {
    name,
    tenantId,
    pluginId: `0000000${number}-6c1f-4c39-9a3e-2f3a4ad0c0de`,
    origin: `https://${name.toLowerCase()}.example.com`,

    life: () => state.life,
    begin: () => beginLife(state),
    end: () => endLife(state),
    createCode: (of: Life) => createCode(state, of),
    /** An event with this code is signed. */
    sign: (code: string, iat: number) => signCode(state, code, iat),
    answer: (request: TokenRequest, options: IssueOptions) => answer(state, request, options),
    accepts: (accessToken: string, now: number) => accepts(state, accessToken, now),
    revokeAccessTokens: () => revokeAccessTokens(state),
    revokeGrants: () => revokeGrants(state),
    /** Undefined: the tenant never issued this access token. */
    originOf: (accessToken: string) => state.origins.get(accessToken),
    /** Undefined: no event carried this code. */
    iatOf: (code: string) => state.codes.get(code)?.iat,
  };
}

function beginLife(state: AuthorizationState): Life {
  state.lives += 1;
  endFamily(state.current);
  state.current = undefined;
  state.life = {
    number: state.lives,
    clientId: `client-${state.name}-${state.lives}`,
    clientSecret: makeSecret(state, 'client'),
    triggerToken: makeSecret(state, 'trigger'),
    state: 'installing',
  };
  return state.life;
}

function endLife(state: AuthorizationState): void {
  if (state.life) state.life.state = 'ended';
  revokeGrants(state);
}

function createCode(state: AuthorizationState, life: Life): string {
  const code = makeSecret(state, 'code');
  state.codes.set(code, { life, iat: undefined, family: undefined });
  return code;
}

function signCode(state: AuthorizationState, text: string, iat: number): void {
  const code = state.codes.get(text);
  if (code) code.iat = { first: code.iat?.first ?? iat, last: iat };
}

function answer(
  state: AuthorizationState,
  request: TokenRequest,
  options: IssueOptions,
): TokenAnswer {
  const { life } = state;
  const isKnown =
    life !== undefined &&
    life.state !== 'ended' &&
    request.clientId === life.clientId &&
    request.clientSecret === life.clientSecret;
  if (!isKnown) return refusal('invalid_client', 401);
  return request.grantType === 'refresh_token'
    ? refresh(state, request.presented, options)
    : exchange(state, life, request.presented, options);
}

function exchange(
  state: AuthorizationState,
  life: Life,
  text: string,
  options: IssueOptions,
): TokenAnswer {
  const code = state.codes.get(text);
  if (!code || code.life !== life) return refusal('invalid_grant');
  if (code.family) {
    endFamily(code.family);
    return refusal('invalid_grant');
  }
  if (options.endsOlderGrants) endFamily(state.current);
  const family: Family = { code: text, life, accessToken: null, expiresAt: 0, refreshToken: null };
  state.current = family;
  code.family = family;
  return issue(state, family, { from: 'code', code: text }, options);
}

function refresh(
  state: AuthorizationState,
  refreshToken: string,
  options: IssueOptions,
): TokenAnswer {
  const origin: Origin = { from: 'refresh token', refreshToken };
  const family = findFamily(state, refreshToken);
  if (family) {
    state.spent.set(refreshToken, { family, at: options.now });
    return issue(state, family, origin, options);
  }
  const used = state.spent.get(refreshToken);
  if (used && used.family.refreshToken !== null && options.now < used.at + options.graceMs) {
    return issue(state, used.family, origin, options);
  }
  endFamily(used?.family);
  return refusal('invalid_grant');
}

/** The family that this refresh token can renew. */
function findFamily(
  { current, codes, life }: AuthorizationState,
  refreshToken: string,
): Family | undefined {
  if (current?.refreshToken === refreshToken) return current;
  for (const { family } of codes.values()) {
    if (family?.refreshToken === refreshToken && family.life === life) return family;
  }
  return undefined;
}

function issue(
  state: AuthorizationState,
  family: Family,
  origin: Origin,
  options: IssueOptions,
): TokenAnswer {
  const accessToken = makeSecret(state, 'access');
  state.origins.set(accessToken, origin);
  family.accessToken = accessToken;
  family.expiresAt = options.now + options.lifetimeSeconds * 1000;
  const isRefresh = origin.from === 'refresh token';
  // An answer without a refresh token keeps the old one, if there was one (RFC 6749 §6).
  const gives = isRefresh ? !options.keepsRefreshToken : options.givesRefreshToken;
  if (gives) family.refreshToken = makeSecret(state, 'refresh');
  return {
    status: 200,
    body: {
      access_token: accessToken,
      token_type: 'bearer',
      scope: 'plugin:notify',
      tenant: state.tenantId,
      ...(options.saysLifetime ? { expires_in: options.lifetimeSeconds } : {}),
      ...(gives ? { refresh_token: family.refreshToken } : {}),
    },
  };
}

function accepts({ codes }: AuthorizationState, accessToken: string, now: number): boolean {
  for (const { family } of codes.values()) {
    if (family?.accessToken === accessToken) return now < family.expiresAt;
  }
  return false;
}

function revokeAccessTokens({ codes }: AuthorizationState): void {
  for (const { family } of codes.values()) if (family) family.accessToken = null;
}

function revokeGrants({ codes }: AuthorizationState): void {
  for (const { family } of codes.values()) endFamily(family);
}

function endFamily(family: Family | undefined): void {
  if (!family) return;
  family.accessToken = null;
  family.refreshToken = null;
}

/** Names its tenant and its kind, for the trace and the checks. */
function makeSecret(state: AuthorizationState, kind: string): string {
  state.made += 1;
  return `${secretMark}${state.name}/${kind}-${state.made}`;
}

function refusal(error: string, status = 400): TokenAnswer {
  return { status, body: { error } };
}
