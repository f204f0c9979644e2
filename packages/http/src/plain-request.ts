/**
 * Requests that need little of `fetch`: bytes or no body, and no redirect. undici's `request` sends them for a quarter
 * of the CPU time of its `fetch`. Answers and errors are those of `fetch`.
 */
import type { Readable } from 'node:stream';
import { type Dispatcher, type RequestInit, request } from 'undici';
import { decodeBody } from './decode-body.ts';
import { WholeResponse } from './derived-response.ts';
import { followSignals } from './follow-signals.ts';
import { BodyTooLargeError, boundStream } from './read-bounded.ts';
import { assertStatus, toReasonPhrase } from './status-line.ts';
import { type BodyWatch, watchBody } from './watch-body.ts';

interface PlainInit extends RequestInit {
  body?: string | Uint8Array<ArrayBuffer> | null;
  redirect: 'error';
}

export interface PlainOptions extends BodyWatch {
  /** Ends the request as long as its headers have not arrived. */
  untilHeaders: AbortSignal | undefined;
  /** After more bytes, the body breaks off. */
  maxBodyBytes: number;
}

const plainKeys = new Set(['method', 'headers', 'body', 'redirect', 'signal']);
const readingMethods = ['GET', 'HEAD'];
const plainMethods = [...readingMethods, 'POST', 'PUT', 'PATCH', 'DELETE'];
const redirects = new Set([301, 302, 303, 307, 308]);
const withoutBody = new Set([204, 205, 304]);

/** False: only `fetch` can send it, or refuse it. */
export function isPlain(input: unknown, init: RequestInit): init is PlainInit {
  const { method = 'GET', body = null, redirect } = init;
  if (typeof input !== 'string' || !/^https?:/i.test(input) || redirect !== 'error') return false;
  if (!plainMethods.includes(method)) return false;
  const isBytes = typeof body === 'string' || body instanceof Uint8Array;
  const mayHaveBody = isBytes && !readingMethods.includes(method);
  return (body === null || mayHaveBody) && Object.keys(init).every((key) => plainKeys.has(key));
}

/** @throws TypeError with a cause when there is no answer; a signal's reason. */
export async function requestPlain(
  agent: Dispatcher,
  input: string,
  init: PlainInit,
  { onBodyEnd, untilHeaders, maxBodyBytes, ...watch }: PlainOptions,
): Promise<Response> {
  const { body = null, method = 'GET' } = init;
  const stop = followSignals(init.signal, untilHeaders);
  let isWhole = false;
  const dispatcher = watchBody(agent, {
    ...watch,
    onBodyEnd(hasCome) {
      isWhole = hasCome;
      stop.release();
      onBodyEnd?.(hasCome);
    },
  });
  try {
    const { signal } = stop;
    const options = { method: method as Dispatcher.HttpMethod, body, signal, dispatcher };
    const sent = request(input, { ...options, headers: completeHeaders(init) });
    // A request that waits for its connection rejects only when it has one, and is not sent then.
    const answer = await Promise.race([sent, stop.aborted]);
    // From here on, only the caller's own signal counts.
    stop.releaseSecond();
    return toResponse(answer, { signal, isHead: method === 'HEAD', isWhole, maxBodyBytes });
  } catch (cause) {
    stop.release();
    stop.signal.throwIfAborted();
    throw new TypeError('fetch failed', { cause });
  }
}

/** Adds the headers that `fetch` adds. */
function completeHeaders({ headers: given, body }: PlainInit): Headers {
  const headers = new Headers(given as Record<string, string> | undefined);
  const add = (name: string, value: string) => headers.has(name) || headers.set(name, value);
  add('accept', '*/*');
  add('accept-encoding', 'gzip');
  add('user-agent', 'undici');
  if (typeof body === 'string') add('content-type', 'text/plain;charset=UTF-8');
  return headers;
}

interface Reading {
  signal: AbortSignal;
  isHead: boolean;
  /** The last byte has arrived, too. */
  isWhole: boolean;
  maxBodyBytes: number;
}

function toResponse(answer: Dispatcher.ResponseData, reading: Reading): Response {
  const { statusCode: status, statusText, body } = answer;
  try {
    assertStatus(status);
    if (redirects.has(status)) throw new Error(`The answer is a redirect (${status})`);
    const headers = new Headers();
    for (const [name, value = []] of Object.entries(answer.headers)) {
      if (typeof value === 'string') headers.append(name, value);
      else for (const each of value) headers.append(name, each);
    }
    const isEmpty = reading.isHead || withoutBody.has(status);
    if (isEmpty) void body.dump().catch(() => undefined);
    const init = { status, statusText: toReasonPhrase(statusText), headers };
    if (isEmpty) return new Response(null, init);
    const content = contentOf(body, { headers, ...reading });
    return content instanceof Uint8Array
      ? new WholeResponse(content, init)
      : new Response(content, init);
  } catch (error) {
    body.on('error', () => undefined).destroy();
    throw error;
  }
}

/** The bytes, if all of them came with the headers; otherwise a stream. */
function contentOf(
  body: Readable,
  { headers, signal, isWhole, maxBodyBytes }: Reading & { headers: Headers },
): Uint8Array<ArrayBuffer> | Response['body'] {
  const source = decodeBody(body, headers.get('content-encoding'));
  if (source === body && isWhole && body.readableLength <= maxBodyBytes) {
    return body.read() ?? new Uint8Array();
  }
  // Also without a reader, its error must not end the process.
  source.on('error', () => undefined);
  const stream = boundStream({
    source,
    maxBytes: maxBodyBytes,
    stop: () => void source.destroy(),
    toError: (error) => (signal.aborted ? signal.reason : toBodyError(error)),
  });
  // Node's stream and the one of the type Response are the same, with two types.
  return stream as unknown as Response['body'];
}

function toBodyError(error: unknown): unknown {
  return error instanceof BodyTooLargeError ? error : new TypeError('terminated', { cause: error });
}
