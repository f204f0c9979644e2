/**
 * The two requests to a tenant's token endpoint (Spec §4.2), carried by openid-client. What differs from its
 * defaults: the parameters travel in the query, the body is empty, and Basic is the base64 of the UTF-8 bytes
 * of `id:secret`, not form-encoded first. Their URLs contain secrets: never log them.
 */

import { type GuardedFetch, type Timer, withTimeout } from '@dowel/http';
import {
  describeShape,
  type PlatformProfile,
  type Reason,
  resolvePlatformUrl,
  Secret,
  type TokenResponse,
  tokenResponseSchema,
} from '@dowel/schema';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  Configuration,
  type CustomFetchOptions,
  customFetch,
  genericGrantRequest,
  refreshTokenGrant,
} from 'openid-client';
import { readGrantedScopes } from './granted-scopes.ts';
import {
  type AnswerObserver,
  isFinal,
  type OnRespelled,
  parseTokenResponse,
  readTokenAnswer,
} from './token-answer.ts';
import { TokenRequestError } from './token-request-error.ts';
import type { ClientAccess, TokenSet } from './token-store.ts';
import { faultOf, isUnsent } from './unsent-request.ts';

/** The time limit of openid-client. Ours ends earlier. */
const outerTimeoutSeconds = 60;
const maxLifetimeSeconds = 10 * 366 * 24 * 60 * 60;

export interface TokenRequestOptions {
  profile: PlatformProfile;
  fetch: GuardedFetch;
  now: () => number;
  timer: Timer;
  /** Called right before the request is sent. Returns its time limit, or throws to prevent it. */
  limitMs: () => number;
  /** Ends the request. */
  signal?: AbortSignal;
  /** The expected tenant, if the answer names one. */
  tenantId: string;
  /** Whether the token endpoint may be at another origin than `base_url`. Default: it may not. */
  isAllowed?: (url: URL) => boolean;
  onRespelled?: OnRespelled;
  /** Called with the shape of an answer. */
  observeAnswer?: ((lines: readonly string[]) => void) | undefined;
}

/** Spec §4.2. @throws TokenRequestError */
export function exchangeCode(
  access: ClientAccess,
  code: string,
  options: TokenRequestOptions & { requestedScopes: string[] },
): Promise<TokenSet> {
  const before = {
    refreshToken: null,
    grantedScopes: options.requestedScopes,
    secrets: [...secretsOf(access), new Secret(code)],
  };
  return requestTokens(options, before, () =>
    genericGrantRequest(configure(access, 'query', options), 'authorization_code', { code }),
  );
}

/**
 * RFC 6749 §6, with the profile's placement.
 *
 * @throws TokenRequestError `rejected` only for a code of RFC 6749 §5.2: nothing else ends a refresh token.
 */
export function refreshTokens(
  access: ClientAccess,
  current: TokenSet & { refreshToken: NonNullable<TokenSet['refreshToken']> },
  options: TokenRequestOptions,
): Promise<TokenSet> {
  const { refreshToken, grantedScopes, accessToken } = current;
  const secrets = [...secretsOf(access), refreshToken, accessToken];
  return requestTokens(options, { refreshToken, grantedScopes, secrets }, () =>
    refreshTokenGrant(
      configure(access, options.profile.refreshPlacement, options),
      current.refreshToken.reveal(),
    ),
  ).catch(keepRefreshToken);
}

/** Refused answers that may contain an access token. */
const refusedTokens: ReadonlySet<Reason> = new Set<Reason>([
  'token_response_invalid',
  'token_tenant_mismatch',
]);

/**
 * An answer that is not a code of RFC 6749 §5.2 says nothing about the refresh token, unless it contains an access
 * token: then the refresh token was used.
 */
function keepRefreshToken(error: unknown): never {
  if (!(error instanceof TokenRequestError)) throw error;
  const { reason, mayArrive, retryAfterMs } = error;
  if (isFinal(reason) || reason === 'token_endpoint_unreachable') throw error;
  const mayBeSpent = error.mayBeSpent && refusedTokens.has(reason);
  throw new TokenRequestError(reason, { mayBeSpent, mayArrive, retryAfterMs });
}

/**
 * Builds the token set. If the answer omits them, the refresh token is the old one (RFC 6749 §6) and the
 * scope is the requested one (RFC 6749 §5.1). The lifetime counts from before the request.
 */
async function requestTokens(
  { now, tenantId }: TokenRequestOptions,
  before: Pick<TokenSet, 'refreshToken' | 'grantedScopes'> & { secrets: readonly Secret[] },
  request: () => Promise<object>,
): Promise<TokenSet> {
  const startedAt = now();
  const response = parseTokenResponse(await request().catch(rethrow));
  if (response.tenant !== undefined && response.tenant !== tenantId) {
    const failure = { rejected: true, mayBeSpent: true, mayArrive: false };
    throw new TokenRequestError('token_tenant_mismatch', failure);
  }
  const refreshToken = response.refresh_token ?? before.refreshToken;
  const secrets = [...before.secrets, response.access_token, refreshToken ?? []].flat();
  return {
    accessToken: response.access_token,
    refreshToken,
    grantedScopes:
      response.scope === undefined
        ? before.grantedScopes
        : readGrantedScopes(response.scope, secrets, before.grantedScopes),
    issuedAt: startedAt,
    expiresAt: expiryOf(response, startedAt),
  };
}

function secretsOf({ clientSecret, trigger }: ClientAccess): Secret[] {
  return [clientSecret, trigger?.body ?? []].flat();
}

/** Null if the server does not name a lifetime. Longer lifetimes than ten years are cut. */
function expiryOf({ expires_in }: TokenResponse, startedAt: number): number | null {
  if (expires_in === undefined) return null;
  return startedAt + Math.floor(Math.min(expires_in, maxLifetimeSeconds) * 1000);
}

function configure(
  access: ClientAccess,
  placement: PlatformProfile['refreshPlacement'],
  options: TokenRequestOptions,
): Configuration {
  const { profile } = options;
  // Plain Basic cannot express a colon in the user's name (RFC 7617 §2).
  if (profile.basicEncoding === 'plain' && access.clientId.includes(':')) {
    throw new TokenRequestError('client_id_not_usable', { rejected: true });
  }
  const tokenEndpoint = resolveEndpoint(access, options);
  const configuration = new Configuration(
    { issuer: access.baseUrl, token_endpoint: tokenEndpoint.href },
    access.clientId,
    undefined,
    profile.basicEncoding === 'plain'
      ? plainBasic(access)
      : ClientSecretBasic(access.clientSecret.reveal()),
  );
  configuration.timeout = outerTimeoutSeconds;
  configuration[customFetch] = (url, request) => send(url, request, placement, options);
  // Only for a platform on this machine: the issuer rules allow no other http origin.
  if (tokenEndpoint.protocol === 'http:') allowInsecureRequests(configuration);
  return configuration;
}

/** It was allowed when its event arrived. Since then the operator may have taken back a rule. */
function resolveEndpoint(
  { baseUrl, tokenEndpointUrl }: ClientAccess,
  { isAllowed }: TokenRequestOptions,
): URL {
  try {
    return resolvePlatformUrl(baseUrl, tokenEndpointUrl, isAllowed);
  } catch {
    throw new TokenRequestError('address_not_allowed', { rejected: true });
  }
}

function plainBasic(access: ClientAccess): ClientAuth {
  return (_server, client, _body, headers) => {
    const credentials = `${client.client_id}:${access.clientSecret.reveal()}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`);
  };
}

async function send(
  url: string,
  { body, headers, method, signal }: CustomFetchOptions,
  placement: PlatformProfile['refreshPlacement'],
  options: TokenRequestOptions,
): Promise<Response> {
  const { fetch, now, timer, limitMs, signal: closing } = options;
  const { tenantId, onRespelled, observeAnswer } = options;
  const target = new URL(url);
  const requestHeaders = new Headers(headers);
  if (placement === 'query') {
    // The endpoint may have a query of its own, which is kept as it is.
    target.search = [target.search.slice(1), String(body)].filter(Boolean).join('&');
    requestHeaders.delete('content-type');
  }
  const ms = limitMs();
  // The process is ending, and nothing was sent.
  if (closing?.aborted) throw new TokenRequestError('lease_lapsed');
  const signals = [signal, closing].filter((each) => each !== undefined);
  const reason = () => new Error('The token endpoint did not answer in time');
  let isKnownUnsent = false;
  const onUnsent = () => {
    isKnownUnsent = true;
  };
  try {
    return await withTimeout(
      timer,
      { ms, signal: AbortSignal.any(signals), reason },
      async (inTime) => {
        const response = await fetch(target, {
          method,
          headers: requestHeaders,
          body: placement === 'query' ? null : (body as URLSearchParams),
          // A redirect is an answer without tokens. It is not followed.
          // control D06
          redirect: 'manual',
          signal: inTime,
          onUnsent,
        });
        // A new response, because the fetched one contains the URL, whose query holds secrets.
        const onRead: AnswerObserver['onRead'] = (answer) =>
          reportShape(observeAnswer, answer, { status: response.status, tenantId });
        return readTokenAnswer(response, now(), { onRespelled, onRead });
      },
    );
  } catch (error) {
    if (error instanceof TokenRequestError) throw error;
    throw unanswered(error, isKnownUnsent || isUnsent(error));
  }
}

/** Errors are ignored: tokens that were received must not be lost because of a description. */
function reportShape(
  observeAnswer: TokenRequestOptions['observeAnswer'],
  answer: unknown,
  { status, tenantId }: { status: number; tenantId: string },
): void {
  try {
    const schema = status < 400 ? tokenResponseSchema : undefined;
    observeAnswer?.([
      `status: ${status}`,
      ...(answer === undefined
        ? ['body: no JSON object']
        : describeShape(answer, { schema, tenantId })),
    ]);
  } catch {
    // Nobody learns this shape.
  }
}

/** The cause is left out: undici's errors may carry the request's headers. */
function unanswered(error: unknown, isNotSent: boolean): TokenRequestError {
  if (faultOf(error).code === 'ADDRESS_NOT_ALLOWED') {
    return new TokenRequestError('address_not_allowed', { rejected: true });
  }
  return new TokenRequestError('token_endpoint_unreachable', { mayBeSpent: !isNotSent });
}

/** openid-client's errors may contain bodies and responses, so only their meaning is kept. */
function rethrow(error: unknown): never {
  const { cause } = error as { cause?: unknown };
  for (const known of [error, cause]) if (known instanceof TokenRequestError) throw known;
  throw new TokenRequestError('token_response_invalid', { rejected: true });
}
