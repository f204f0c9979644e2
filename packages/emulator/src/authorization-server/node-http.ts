/** The token endpoint on a bare `node:http` server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBounded } from '@dowel/http';
import type { TokenAnswer, TokenRequest } from './answer-token-request.ts';

const maxBytes = 32 * 1024;

/** @throws BodyTooLargeError */
export async function readTokenRequest(request: IncomingMessage): Promise<TokenRequest> {
  const parameters = new URL(request.url ?? '/', 'http://platform').searchParams;
  const body = await readBounded(request, maxBytes);
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    parameters.append(name, value);
  }
  return { parameters, authorization: request.headers.authorization };
}

/** Sends what `meetFault` returned: nothing, an interrupted connection, or an answer. */
export function sendTokenAnswer(
  response: ServerResponse,
  answer: TokenAnswer | 'hangs' | 'lost',
): void {
  if (answer === 'hangs' || response.destroyed) return;
  if (answer === 'lost') {
    response.destroy();
    return;
  }
  const { status, headers, body, isCutOff = false } = answer;
  const isText = typeof body === 'string';
  const contentType = isText ? 'text/html' : 'application/json';
  const bytes = Buffer.from(isText ? body : JSON.stringify(body));
  response.writeHead(status, {
    'content-type': contentType,
    ...headers,
    ...(isCutOff && { 'content-length': bytes.length }),
  });
  if (!isCutOff) response.end(bytes);
  else response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}
