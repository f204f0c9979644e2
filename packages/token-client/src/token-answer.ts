/**
 * Checks the token endpoint's answer before openid-client reads it: limits its size, separates final from
 * temporary failures, and normalizes harmless defects. A code is spent when its answer is read, so an answer
 * with an access token must not be lost because of a detail (RFC 6749 §5.1).
 */
import { BodyTooLargeError, parseRetryAfter, readBounded } from '@dowel/http';
import {
  isOAuthErrorCode,
  joinScopes,
  type OAuthErrorCode,
  type Reason,
  type Respelling,
  type TokenResponse,
  tokenResponseSchema,
} from '@dowel/schema';
import { discardBody } from './discard-body.ts';
import { TokenRequestError } from './token-request-error.ts';

/** Called with what a usable answer spells otherwise than the specification. */
export type OnRespelled = (respelled: readonly Respelling[]) => void;

export interface AnswerObserver {
  onRespelled?: OnRespelled | undefined;
  /** Called with what was read; undefined if it is no JSON object. */
  onRead?: (answer: Record<string, unknown> | undefined) => void;
}

const maxAnswerBytes = 65_536;
/** The error codes of RFC 6749 §5.2, sent with 400 or 401: the code or refresh token is rejected for good. */
const finalCodes: ReadonlySet<Reason> = new Set<OAuthErrorCode>([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_request',
]);
/** Members without which a token response can be used. */
const optionalMembers = new Set(['refresh_token', 'scope', 'jti']);

/**
 * Statuses of a gateway that gave up, while the server behind it may continue. Content delivery networks use
 * those from 520 on.
 */
function isOfGateway(status: number): boolean {
  return status === 502 || status === 504 || status >= 520;
}

/**
 * Everything but a final code and a token response is a temporary failure: a page of a proxy, a status that a
 * gateway sends while its server restarts, or a code such as `temporarily_unavailable`.
 *
 * @param now epoch milliseconds.
 * @param onRead called with what a status below 500 came with; undefined: no JSON object
 * @throws TokenRequestError
 */
export async function readTokenAnswer(
  response: Response,
  now: number,
  { onRespelled, onRead }: AnswerObserver = {},
): Promise<Response> {
  const { ok, status, headers } = response;
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), now);
  if (status >= 500) {
    await discardBody(response);
    const mayArrive = isOfGateway(status);
    throw new TokenRequestError(`token_endpoint_answered_${status}`, { mayArrive, retryAfterMs });
  }
  const answer = parseObject(await readWhatDecides(response));
  onRead?.(answer);
  if (ok && answer) {
    const { normal, respelled } = normalizeAnswer(answer);
    parseTokenResponse(normal);
    if (respelled.length > 0) onRespelled?.(respelled);
    return Response.json(normal);
  }
  const reason = errorCodeOf(answer, status);
  const rejected = canBeFinal(response) && isFinal(reason);
  // The server may have acted, and no tokens were read.
  throw new TokenRequestError(reason, { rejected, mayBeSpent: ok, mayArrive: false, retryAfterMs });
}

function canBeFinal({ status }: Response): boolean {
  return status === 400 || status === 401;
}

/** True for a code of RFC 6749 §5.2. */
export function isFinal(reason: Reason): boolean {
  return finalCodes.has(reason);
}

/** A known error code, or the status if the body has none. */
function errorCodeOf(answer: Record<string, unknown> | undefined, status: number): Reason {
  const code = answer?.error;
  return isOAuthErrorCode(code) ? code : `token_endpoint_answered_${status}`;
}

/**
 * Reads a normalized answer.
 *
 * @throws TokenRequestError `token_response_invalid`, with `mayBeSpent` if its access token is valid.
 */
export function parseTokenResponse(answer: object): TokenResponse {
  const parsed = tokenResponseSchema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const mayBeSpent = !invalidMembers(answer).has('access_token');
  const failure = { rejected: true, mayBeSpent, mayArrive: false };
  throw new TokenRequestError('token_response_invalid', failure);
}

interface NormalAnswer {
  normal: Record<string, unknown>;
  respelled: Respelling[];
}

/**
 * Removes members that are null, and optional ones that are invalid, such as an empty refresh token. Joins the scopes
 * of an array or between commas. An empty scope is kept: it means that nothing was granted. A lifetime below a second is
 * unknown: each call would need a refresh of its own. Without a `token_type`, the token is a bearer token, because the
 * specification knows no other (Spec §2.3).
 */
function normalizeAnswer(answer: Record<string, unknown>): NormalAnswer {
  const present = Object.entries(answer).filter(([, value]) => value !== null);
  const { expires_in, scope, id_token: _, ...others } = Object.fromEntries(present);
  const isDigits = typeof expires_in === 'string' && /^\d+$/.test(expires_in);
  const seconds = isDigits ? Number(expires_in) : expires_in;
  const isLifetime = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 1;
  const normal = {
    token_type: 'bearer',
    ...others,
    ...(scope !== undefined && { scope: isTexts(scope) ? joinScopes(scope) : scope }),
    ...(isLifetime && { expires_in: seconds }),
  };
  const invalid = invalidMembers(normal);
  const isUsable = (name: string) => !optionalMembers.has(name) || !invalid.has(name);
  return {
    normal: Object.fromEntries(Object.entries(normal).filter(([name]) => isUsable(name))),
    respelled: [
      ...(others.token_type === undefined ? [respell('token_type', 'missing')] : []),
      ...(isDigits ? [respell('expires_in', 'text')] : []),
      ...(Array.isArray(scope) ? [respell('scope', 'array')] : []),
      ...(typeof scope === 'string' && scope.includes(',') ? [respell('scope', 'commas')] : []),
    ],
  };
}

function respell(name: string, type: Respelling['type']): Respelling {
  return { pointer: `/${name}`, type };
}

/** The names of the members that a token response may not have in this form. */
function invalidMembers(answer: object): Set<unknown> {
  const { error } = tokenResponseSchema.safeParse(answer);
  return new Set(error?.issues.map(({ path }) => path[0]));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The body is needed only for tokens and final codes. For any other answer the status decides, even if the body
 * breaks off.
 */
function readWhatDecides(response: Response): Promise<string> {
  const text = readText(response);
  return response.ok || canBeFinal(response) ? text : text.catch(() => '');
}

/** Empty if the body is too large for a token response. */
async function readText({ body }: Response): Promise<string> {
  try {
    // Unlike `toString`, it drops a byte order mark (RFC 8259 §8.1).
    // control D13
    return new TextDecoder().decode(await readBounded(body, maxAnswerBytes));
  } catch (error) {
    if (error instanceof BodyTooLargeError) return '';
    throw error;
  }
}
