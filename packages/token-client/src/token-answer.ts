/**
 * Checks the token endpoint's answer before openid-client reads it: limits its size, tells final from
 * temporary failures, and normalizes harmless defects. A code is spent when its answer is read, so an answer
 * with an access token must not be lost because of a detail (RFC 6749 §5.1).
 */
import { BodyTooLargeError, parseRetryAfter, readBounded } from '@dowel/http';
import { isOAuthErrorCode, type Reason } from '@dowel/schema';
import { TokenRequestError } from './token-request-error.ts';

const maxAnswerBytes = 65_536;
/** Statuses of temporary failures: the same request may succeed later. */
const passingStatuses = new Set([408, 425, 429]);

/**
 * Statuses of a gateway that gave up, while the server behind it may continue. Content delivery networks use
 * those from 520 on.
 */
function isOfGateway(status: number): boolean {
  return status === 502 || status === 504 || status >= 520;
}

/** @param now epoch milliseconds. @throws TokenRequestError */
export async function readTokenAnswer(response: Response, now: number): Promise<Response> {
  if (response.status >= 500 || passingStatuses.has(response.status)) {
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now);
    await response.body?.cancel();
    const mayArrive = isOfGateway(response.status);
    const reason: Reason = `token_endpoint_answered_${response.status}`;
    throw new TokenRequestError(reason, { mayArrive, retryAfterMs });
  }
  const answer = parseObject(await readText(response));
  if (!response.ok) throw rejection(errorCodeOf(answer, response.status));
  if (!answer) throw rejection('token_response_invalid');
  return Response.json(forgive(answer));
}

function rejection(reason: Reason): TokenRequestError {
  return new TokenRequestError(reason, { rejected: true });
}

/** A known error code, or the status if the body has none. */
function errorCodeOf(answer: Record<string, unknown> | undefined, status: number): Reason {
  const code = answer?.error;
  return isOAuthErrorCode(code) ? code : `token_endpoint_answered_${status}`;
}

/**
 * Removes optional members that are null or invalid, and an empty refresh token. An empty scope is kept: it
 * means that nothing was granted.
 */
function forgive(answer: Record<string, unknown>): Record<string, unknown> {
  const present = Object.entries(answer).filter(
    ([name, value]) => value !== null && !(name === 'refresh_token' && value === ''),
  );
  const { expires_in, id_token: _, ...forgiven } = Object.fromEntries(present);
  const isDigits = typeof expires_in === 'string' && /^\d+$/.test(expires_in);
  const seconds = isDigits ? Number(expires_in) : expires_in;
  const isLifetime = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0;
  return isLifetime ? { ...forgiven, expires_in: seconds } : forgiven;
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

async function readText({ body }: Response): Promise<string> {
  try {
    return (await readBounded(body, maxAnswerBytes)).toString('utf8');
  } catch (error) {
    throw error instanceof BodyTooLargeError ? rejection('token_response_invalid') : error;
  }
}
