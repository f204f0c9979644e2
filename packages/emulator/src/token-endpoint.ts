/**
 * `POST /t/:slug/api/oauth/token` (Spec §4.2): parameters in the query or in a form body, the client
 * authenticated by HTTP Basic, errors as in RFC 6749 §5.2. A refresh has the same form (RFC 6749
 * §6). This is our choice, because the specification does not show the request.
 */
import type { TokenResponsePayload } from '@dowel/schema';
import type { Context } from 'koa';
import type { GrantedTokens } from './authorization-server.ts';
import type { Environment } from './environment.ts';
import { readText } from './request-body.ts';
import type { Client } from './snapshot.ts';
import type { TenantState } from './tenant-state.ts';

type OAuthErrorCode =
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'unsupported_grant_type';

class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}

const secretOfGrant = { authorization_code: 'code', refresh_token: 'refresh_token' } as const;
type GrantType = keyof typeof secretOfGrant;

export async function answerTokenRequest(
  ctx: Context,
  env: Environment,
  state: TenantState,
): Promise<void> {
  ctx.set('Cache-Control', 'no-store');
  const parameters = await readParameters(ctx);
  const client = authenticate(ctx, state);
  const grantType = parameters.get('grant_type');
  let error: OAuthErrorCode | null = null;
  try {
    const tokens = grant(state, client, parameters);
    const { tenantId } = state.tenant;
    ctx.body = { ...tokens, tenant: tenantId } satisfies TokenResponsePayload;
  } catch (cause) {
    if (!(cause instanceof OAuthError)) throw cause;
    error = cause.code;
    answerOAuthError(ctx, cause);
  }
  state.tokenRequests.add({
    pluginId: client?.pluginId ?? null,
    grantType: isGrantType(grantType) ? grantType : 'unsupported',
    at: env.now(),
    status: ctx.status,
    error,
  });
  env.changes.publishPlugins(state.tenant.tenantId);
}

function answerOAuthError(ctx: Context, { code, message }: OAuthError): void {
  ctx.status = code === 'invalid_client' ? 401 : 400;
  if (code === 'invalid_client')
    ctx.set('WWW-Authenticate', 'Basic realm="platform", charset="UTF-8"');
  ctx.body = { error: code, error_description: message };
}

async function readParameters(ctx: Context): Promise<URLSearchParams> {
  const parameters = new URLSearchParams(ctx.querystring);
  const form = ctx.is('application/x-www-form-urlencoded') ? await readText(ctx) : '';
  for (const [name, value] of new URLSearchParams(form)) parameters.append(name, value);
  return parameters;
}

/** Basic is base64 of the UTF-8 bytes of `id:secret`; the secret may contain colons. */
function authenticate(ctx: Context, { authorizationServer }: TenantState): Client | undefined {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(ctx.get('authorization')) ?? [];
  const [clientId = '', ...secretParts] = Buffer.from(encoded, 'base64')
    .toString('utf8')
    .split(':');
  return authorizationServer.authenticate(clientId, secretParts.join(':'));
}

function grant(
  { authorizationServer }: TenantState,
  client: Client | undefined,
  parameters: URLSearchParams,
): GrantedTokens {
  if (!client) throw new OAuthError('invalid_client', 'Unknown client, or wrong secret');
  const grantType = readOnce(parameters, 'grant_type');
  if (!isGrantType(grantType)) {
    throw new OAuthError('unsupported_grant_type', 'Use authorization_code or refresh_token');
  }
  const secret = readOnce(parameters, secretOfGrant[grantType]);
  const tokens =
    grantType === 'authorization_code'
      ? authorizationServer.authorizationCodeGrant(client, secret)
      : authorizationServer.refreshTokenGrant(client, secret);
  if (tokens) return tokens;
  throw new OAuthError('invalid_grant', 'Expired, revoked, used or unknown');
}

/** RFC 6749 §3.2: parameters must not be repeated, and an empty one counts as absent. */
function readOnce(parameters: URLSearchParams, name: string): string {
  const [value, ...more] = parameters.getAll(name);
  if (value && more.length === 0) return value;
  throw new OAuthError('invalid_request', `Give ${name} exactly once`);
}

function isGrantType(text: string | null): text is GrantType {
  return text !== null && Object.hasOwn(secretOfGrant, text);
}
