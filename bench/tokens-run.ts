/** One run of the token benchmark, as its platform sees it: a strict authorization server with one client. */
import { randomUUID } from 'node:crypto';
import {
  type AuthorizationServer,
  authorizationCodeGrant,
  type Client,
  createAuthorizationServer,
  introspect,
  issueCode,
  readPresentation,
  refreshTokenGrant,
  registerClient,
  revokeAccessTokens,
  revokeRefreshTokens,
  type SecretKind,
  strictRules,
  type Terms,
} from '@dowel/emulator/authorization-server';

export interface Behaviour {
  /** False: a refresh is answered without a refresh token, so the old one stays (RFC 6749 §6). */
  rotates: boolean;
  /** This many refreshes are answered with 503, and change nothing. */
  outages: number;
  /** The refresh token is refused from the beginning. */
  isDead: boolean;
  /** Half of the 401s arrive this long after the answer to the first refresh. */
  lateMs: number | null;
  /** Calls of the API are never answered. */
  isHanging: boolean;
}

export interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
}

export interface Run {
  readonly behaviour: Behaviour;
  readonly server: AuthorizationServer;
  readonly client: Client;
  readonly firstRefresh: PromiseWithResolvers<void>;
  outagesLeft: number;
  refreshes: number;
  triggers: number;
  refusedCalls: number;
}

/** Half a day: longer than the two hours before expiry at which @slack/oauth refreshes. */
export const lifetimeSeconds = 43_200;

export function openRun(behaviour: Behaviour): Run {
  const server = createAuthorizationServer({ tenantId: randomUUID(), createSecret });
  return {
    behaviour,
    server,
    client: registerClient(server, { pluginId: 'benchmark' }),
    firstRefresh: Promise.withResolvers(),
    outagesLeft: behaviour.outages,
    refreshes: 0,
    triggers: 0,
    refusedCalls: 0,
  };
}

/** The tokens that a run begins with. */
export function issueFirstTokens(run: Run): IssuedTokens {
  const parameters = { grant_type: 'authorization_code', code: createCode(run) };
  const { accessToken, refreshToken } = grantTokens(run, new URLSearchParams(parameters)) ?? {};
  if (!accessToken || !refreshToken) throw new Error('No tokens were issued');
  return { accessToken, refreshToken };
}

export function createCode(run: Run): string {
  return issueCode(run.server, run.client, termsOf(run));
}

/** Revokes the access token before it expires; the refresh token, too, in cases with a dead one. */
export function expire({ behaviour, client }: Run): void {
  revokeAccessTokens(client);
  if (behaviour.isDead) revokeRefreshTokens(client);
}

export function accepts({ server }: Run, accessToken: string): boolean {
  return introspect(server, accessToken, Date.now()) !== undefined;
}

/**
 * Each peer sends its client id and secret in another way, so nothing checks them.
 *
 * @returns undefined for an outage, null for `invalid_grant`.
 */
export function grantTokens(
  run: Run,
  parameters: URLSearchParams,
): Partial<IssuedTokens> | null | undefined {
  const { server, client } = run;
  const { grantType, credential } = readPresentation(parameters);
  if (grantType === 'refresh_token') {
    run.refreshes += 1;
    if (run.outagesLeft > 0) {
      run.outagesLeft -= 1;
      return undefined;
    }
  }
  const terms = termsOf(run);
  const tokens =
    grantType === 'refresh_token'
      ? refreshTokenGrant(server, client, { refreshToken: credential, ...terms })
      : authorizationCodeGrant(server, client, { code: credential, ...terms });
  if (!tokens) return null;
  const { access_token: accessToken, refresh_token: refreshToken } = tokens;
  return { accessToken, ...(refreshToken !== undefined && { refreshToken }) };
}

function termsOf({ behaviour }: Run): Terms {
  return {
    now: Date.now(),
    rules: {
      ...strictRules,
      accessTokenLifetimeSeconds: lifetimeSeconds,
      refreshTokens: behaviour.rotates ? 'rotate' : 'omit',
    },
  };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = encode({ alg: 'HS256', typ: 'JWT' });

/**
 * Tokens have the form of a JWT, because undici-oidc-interceptor reads `exp` and wants an `iss`. Their
 * signature is not verified.
 */
function createSecret(kind: SecretKind): string {
  if (kind !== 'access' && kind !== 'refresh') return randomUUID();
  const exp = Math.floor(Date.now() / 1000) + lifetimeSeconds;
  return `${header}.${encode({ iss: 'bench', exp, jti: randomUUID() })}.c2lnbmF0dXJl`;
}
