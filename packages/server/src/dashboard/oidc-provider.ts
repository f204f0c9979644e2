/**
 * Sign-in at an identity provider: OpenID Connect's authorization code flow with PKCE, carried by openid-client. It
 * checks issuer, audience, times, nonce and the signature of the ID token. Rows F15 and F16 of docs/threats.md.
 */
import {
  type OidcRefusal,
  type OperatorIdentity,
  type OperatorRole,
  readPersonName,
} from '@dowel/admin-api';
import { boundResponse } from '@dowel/http';
import { Secret } from '@dowel/schema';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client';
import { chooseRole, type OidcSettings } from './oidc-settings.ts';

/** The limit of each request to the provider. */
const timeoutSeconds = 10;
/** The metadata is fetched again after this time, because the provider may move its endpoints. */
const metadataLifetimeMs = 60 * 60 * 1000;
const maxAnswerBytes = 1024 * 1024;
/** Many servers refuse a URL of more than 8 KiB. */
const maxHintLength = 6_000;

/**
 * Nobody was signed in: {@link beginSignIn} and {@link finishSignIn} return it. The message is for the log; it holds no
 * secret.
 */
export class OidcError extends Error {
  override readonly name = 'OidcError';
  readonly refusal: OidcRefusal;

  constructor(refusal: OidcRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

export interface OidcProvider {
  settings: OidcSettings;
  /** Where the provider sends the browser after the sign-in. */
  redirectUri: string;
  /** Where the provider sends the browser after the sign-out. */
  signedOutUri: string;
  fetch: typeof fetch;
  /** Epoch milliseconds. */
  now: () => number;
  found: { at: number; configuration: Promise<Configuration> } | undefined;
}

/** The data that the browser keeps between the two steps of a sign-in. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface OidcOperator {
  /** A label. */
  name: string;
  identity: OperatorIdentity;
  role: OperatorRole;
  /** For {@link findSignOutUrl}. */
  idToken: Secret | undefined;
}

/** @param adminUrl without a slash at its end; may have a path */
export function createOidcProvider(
  settings: OidcSettings,
  options: { adminUrl: string; fetch: typeof globalThis.fetch; now: () => number },
): OidcProvider {
  const { adminUrl, fetch, now } = options;
  return {
    settings,
    redirectUri: `${adminUrl}/admin/api/session/oidc/callback`,
    signedOutUri: `${adminUrl}/admin/sign-in`,
    fetch: async (input, init) =>
      boundResponse(await fetch(input, { ...init, redirect: 'manual' }), maxAnswerBytes),
    now,
    found: undefined,
  };
}

export interface BegunSignIn {
  /** The page to which the browser is sent. */
  url: URL;
  pending: PendingSignIn;
}

/** @returns the only refusal is `provider_failed` */
export function beginSignIn(provider: OidcProvider): Promise<BegunSignIn | OidcError> {
  return begin(provider).catch(returnRefusal);
}

async function begin(provider: OidcProvider): Promise<BegunSignIn> {
  const configuration = await configurationOf(provider);
  const pending = {
    state: randomState(),
    nonce: randomNonce(),
    codeVerifier: randomPKCECodeVerifier(),
  };
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: provider.redirectUri,
    scope: provider.settings.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await calculatePKCECodeChallenge(pending.codeVerifier),
    code_challenge_method: 'S256',
  });
  return { url, pending };
}

/** @param query of the request with which the provider sent the browser back */
export function finishSignIn(
  provider: OidcProvider,
  query: string,
  pending: PendingSignIn,
): Promise<OidcOperator | OidcError> {
  return finish(provider, query, pending).catch(returnRefusal);
}

async function finish(
  provider: OidcProvider,
  query: string,
  { state, nonce, codeVerifier }: PendingSignIn,
): Promise<OidcOperator> {
  const answered = new URL(`${provider.redirectUri}?${query}`);
  const configuration = await configurationOf(provider);
  const checks = {
    expectedState: state,
    // control F16
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  };
  const tokens = await authorizationCodeGrant(configuration, answered, checks).catch(explain);
  const operator = readOperator(provider, await readClaims(configuration, tokens));
  const { id_token: idToken } = tokens;
  return { ...operator, idToken: idToken === undefined ? undefined : new Secret(idToken) };
}

function returnRefusal(error: unknown): OidcError {
  if (error instanceof OidcError) return error;
  throw error;
}

/**
 * The provider's page that ends its session, too (OpenID Connect RP-Initiated Logout §2). Undefined: it has none, or is
 * unavailable.
 *
 * @param idToken of the sign-in: with it the provider need not ask the person. Left out if the URL would be too long.
 */
export async function findSignOutUrl(
  provider: OidcProvider,
  idToken: Secret | undefined,
): Promise<string | undefined> {
  try {
    const configuration = await configurationOf(provider);
    if (!configuration.serverMetadata().end_session_endpoint) return undefined;
    const hint = idToken?.reveal() ?? '';
    return buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: provider.signedOutUri,
      client_id: provider.settings.clientId,
      ...(hint !== '' && hint.length <= maxHintLength && { id_token_hint: hint }),
    }).href;
  } catch {
    return undefined;
  }
}

/** A failed look is tried again by the next sign-in. */
function configurationOf(provider: OidcProvider): Promise<Configuration> {
  const { found, now } = provider;
  const ageMs = found ? now() - found.at : Infinity;
  if (found && ageMs >= 0 && ageMs < metadataLifetimeMs) return found.configuration;
  const configuration = discover(provider);
  const begun = { at: now(), configuration };
  provider.found = begun;
  configuration.catch(() => {
    if (provider.found === begun) provider.found = undefined;
  });
  return configuration;
}

async function discover({ settings, fetch }: OidcProvider): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  // Only a provider on this machine: the settings allow no other http issuer.
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
  return discovery(
    new URL(issuer),
    clientId,
    clientSecret?.reveal(),
    clientSecret ? undefined : None(),
    {
      execute: [...execute, enableNonRepudiationChecks],
      timeout: timeoutSeconds,
      [customFetch]: fetch as CustomFetch,
    },
  ).catch(explain);
}

/** Many providers put groups and addresses only into the answer of their userinfo endpoint. */
async function readClaims(
  configuration: Configuration,
  tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
): Promise<IDToken> {
  const claims = tokens.claims();
  if (!claims) throw new OidcError('provider_failed', 'The answer has no ID token');
  if (!configuration.serverMetadata().userinfo_endpoint) return claims;
  const { access_token: accessToken } = tokens;
  const userInfo = await fetchUserInfo(configuration, accessToken, claims.sub).catch(explain);
  // Take both claims from the same source.
  const { email, email_verified } = claims.email === undefined ? userInfo : claims;
  return { ...userInfo, ...claims, email, email_verified };
}

function readOperator({ settings }: OidcProvider, claims: IDToken): Omit<OidcOperator, 'idToken'> {
  const role = chooseRole(settings, claims);
  if (!role) {
    throw new OidcError(
      'no_role',
      `The claim ${settings.roleClaim} has no value that gives a role`,
    );
  }
  const name = nameOf(claims);
  if (!name)
    throw new OidcError('provider_failed', 'Neither the address nor the subject is a name');
  const identity = { method: 'oidc', issuer: settings.issuer, subject: claims.sub } as const;
  return { name, identity, role };
}

/** An address counts only if the provider has verified it: otherwise an operator could take another one's name. */
function nameOf({ sub, email, email_verified: isVerified }: IDToken): string | undefined {
  return (isVerified === true ? readPersonName(email) : undefined) ?? readPersonName(sub);
}

/** The library's errors may hold answers and tokens, so only their codes are kept. */
function explain(error: unknown): never {
  if (error instanceof AuthorizationResponseError) {
    throw new OidcError('refused', `The provider answered ${cutCode(error.error)}`);
  }
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const codes = [code, cause?.code].filter((each) => typeof each === 'string');
  throw new OidcError('provider_failed', codes.map(cutCode).join(', ') || 'The request failed');
}

function cutCode(code: string): string {
  return code.replaceAll(/[^\w.-]/g, '_').slice(0, 80);
}
