/**
 * The token endpoint (Spec §4.2) without HTTP: the client is authenticated by HTTP Basic, errors are as
 * in RFC 6749 §5.2. A refresh has the same form as the exchange (RFC 6749 §6). This is our choice,
 * because the specification does not show the request.
 */
import { Secret, type TokenResponsePayload } from '@dowel/schema';
import type { Client } from './client-schema.ts';
import { authenticateClient } from './clients.ts';
import { authorizationCodeGrant, refreshTokenGrant } from './grants.ts';
import type {
  AuthorizationServer,
  GrantType,
  Presentation,
  Terms,
  TokenEndpointError,
} from './server.ts';

export interface TokenRequest {
  /** From the query and the form body: the endpoint accepts both. */
  parameters: URLSearchParams;
  /** The header `Authorization`. */
  authorization: string | undefined;
}

export interface TokenAnswer {
  status: number;
  headers?: Record<string, string>;
  /** A string is sent as HTML, anything else as JSON. */
  body: unknown;
  /** Half of the body is sent, and the connection ends. */
  isCutOff?: boolean;
}

interface RecordedAnswer extends TokenAnswer {
  headers: Record<string, string>;
  presentation: Presentation;
}

interface Outcome {
  /** Null: the body contains tokens. */
  error: TokenEndpointError | null;
  body: TokenResponsePayload | { error: TokenEndpointError; error_description: string };
}

const credentialOfGrant = { authorization_code: 'code', refresh_token: 'refresh_token' } as const;

/** Answers a request, and says what it presented. */
export function answerTokenRequest(
  server: AuthorizationServer,
  { parameters, authorization }: TokenRequest,
  terms: Terms,
): RecordedAnswer {
  const found = authenticateClient(server, authorization);
  const client = found.mistake && !terms.toleratesBasicMistakes ? undefined : found.client;
  const { error, body } = client
    ? grantTokens(server, client, { parameters, ...terms })
    : refuse('invalid_client', explainRefusal(found.mistake, parameters));
  const { grantType, credential } = readPresentation(parameters);
  const presentation: Presentation = {
    at: terms.now,
    pluginId: client?.pluginId ?? null,
    grantType,
    credential: new Secret(credential),
    error,
  };
  return { status: statusOf(error), headers: headersOf(error), body, presentation };
}

/** The grant type and the code or refresh token of a request that may be malformed. */
export function readPresentation(parameters: URLSearchParams): {
  grantType: GrantType | 'unsupported';
  credential: string;
} {
  const grantType = parameters.get('grant_type');
  if (!isGrantType(grantType)) return { grantType: 'unsupported', credential: '' };
  return { grantType, credential: parameters.get(credentialOfGrant[grantType]) ?? '' };
}

function grantTokens(
  server: AuthorizationServer,
  client: Client,
  { parameters, ...terms }: Terms & { parameters: URLSearchParams },
): Outcome {
  const grantType = readOnce(parameters, 'grant_type');
  if (grantType === undefined) return refuse('invalid_request', 'Give grant_type exactly once');
  if (!isGrantType(grantType)) {
    return refuse('unsupported_grant_type', 'Use authorization_code or refresh_token');
  }
  const name = credentialOfGrant[grantType];
  const credential = readOnce(parameters, name);
  if (credential === undefined) return refuse('invalid_request', `Give ${name} exactly once`);
  const tokens =
    grantType === 'authorization_code'
      ? authorizationCodeGrant(server, client, { code: credential, ...terms })
      : refreshTokenGrant(server, client, { refreshToken: credential, ...terms });
  if (tokens) return { error: null, body: tokens };
  return refuse('invalid_grant', 'Expired, revoked, used or unknown');
}

function explainRefusal(mistake: string | undefined, parameters: URLSearchParams): string {
  if (mistake) return mistake;
  if (parameters.has('client_secret')) return 'The secret is not read from parameters: use Basic';
  return 'Unknown client, or wrong secret';
}

function refuse(error: TokenEndpointError, error_description: string): Outcome {
  return { error, body: { error, error_description } };
}

/** RFC 6749 §3.2: parameters must not be repeated, and an empty one counts as absent. */
function readOnce(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = parameters.getAll(name);
  return value && more.length === 0 ? value : undefined;
}

function isGrantType(text: string | null): text is GrantType {
  return text !== null && Object.hasOwn(credentialOfGrant, text);
}

function statusOf(error: TokenEndpointError | null): number {
  if (error === null) return 200;
  return error === 'invalid_client' ? 401 : 400;
}

function headersOf(error: TokenEndpointError | null): Record<string, string> {
  const headers = { 'cache-control': 'no-store' };
  if (error !== 'invalid_client') return headers;
  return { ...headers, 'www-authenticate': 'Basic realm="platform", charset="UTF-8"' };
}
