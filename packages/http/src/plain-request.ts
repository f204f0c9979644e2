/**
 * Requests that need little of `fetch`: bytes or no body, and no redirect. undici's `request` sends them for a quarter
 * of the CPU time of its `fetch`. Answers and errors are those of `fetch`.
 */
import type { Readable } from 'node:stream';
import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import { type Dispatcher, type RequestInit, request } from 'undici';
import { decodeBody } from './decode-body.ts';

interface PlainInit extends RequestInit {
  body?: string | Uint8Array<ArrayBuffer> | null;
  redirect: 'error';
}

const plainKeys = new Set(['method', 'headers', 'body', 'redirect', 'signal']);
const readingMethods = ['GET', 'HEAD'];
const plainMethods = [...readingMethods, 'POST', 'PUT', 'PATCH', 'DELETE'];
const redirects = new Set([301, 302, 303, 307, 308]);
const withoutBody = new Set([204, 205, 304]);

/** False: only `fetch` can send it, or refuse it. */
export function isPlain(input: unknown, init: RequestInit): init is PlainInit {
  const { method = 'GET', body = null, redirect } = init;
  if (typeof input !== 'string' || redirect !== 'error') return false;
  if (!plainMethods.includes(method)) return false;
  const isBytes = typeof body === 'string' || body instanceof Uint8Array;
  const mayHaveBody = isBytes && !readingMethods.includes(method);
  return (body === null || mayHaveBody) && Object.keys(init).every((key) => plainKeys.has(key));
}

/** @throws TypeError with a cause when there is no answer; the signal's reason. */
export async function requestPlain(
  dispatcher: Dispatcher,
  input: string,
  init: PlainInit,
): Promise<Response> {
  const { signal = null, body = null, method = 'GET' } = init;
  signal?.throwIfAborted();
  try {
    const options = { method: method as Dispatcher.HttpMethod, body, signal, dispatcher };
    const sent = request(input, { ...options, headers: completeHeaders(init) });
    return toResponse(await orAborted(sent, signal), { signal, isHead: method === 'HEAD' });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new TypeError('fetch failed', { cause });
  }
}

/** With what `fetch` adds. */
function completeHeaders({ headers: given, body }: PlainInit): Headers {
  const headers = new Headers(given as Record<string, string> | undefined);
  const add = (name: string, value: string) => headers.has(name) || headers.set(name, value);
  add('accept', '*/*');
  add('accept-encoding', 'gzip');
  add('user-agent', 'undici');
  if (typeof body === 'string') add('content-type', 'text/plain;charset=UTF-8');
  return headers;
}

/** A request that waits for its connection rejects only when it has one, and is not sent then. */
async function orAborted<Value>(sent: Promise<Value>, signal: AbortSignal | null): Promise<Value> {
  if (!signal) return sent;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  return Promise.race([sent, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

interface Reading {
  signal: AbortSignal | null;
  isHead: boolean;
}

function toResponse(answer: Dispatcher.ResponseData, reading: Reading): Response {
  const { statusCode: status, statusText, body } = answer;
  try {
    if (redirects.has(status)) throw new Error(`The answer is a redirect (${status})`);
    const headers = new Headers();
    for (const [name, value = []] of Object.entries(answer.headers)) {
      if (typeof value === 'string') headers.append(name, value);
      else for (const each of value) headers.append(name, each);
    }
    const isEmpty = reading.isHead || withoutBody.has(status);
    if (isEmpty) void body.dump().catch(() => undefined);
    const content = isEmpty ? null : contentOf(body, { headers, ...reading });
    return new Response(content, { status, statusText, headers });
  } catch (error) {
    body.on('error', () => undefined).destroy();
    throw error;
  }
}

/** The bytes, if all of them came with the headers; otherwise a stream. */
function contentOf(
  body: Readable,
  { headers, signal }: Reading & { headers: Headers },
): Uint8Array<ArrayBuffer> | Response['body'] {
  const source = decodeBody(body, headers.get('content-encoding'));
  const length = headers.get('content-length');
  if (source === body && length !== null && body.readableLength === Number(length)) {
    return body.read() ?? new Uint8Array();
  }
  // Also without a reader, its error must not end the process.
  source.on('error', () => undefined);
  // Node's stream and the one of the type Response are the same, with two types.
  return streamOf(source, signal) as unknown as Response['body'];
}

/** A cancellation ends the source at once, also before the first read and during one. */
function streamOf(source: Readable, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    } catch (cause) {
      controller.error(signal?.aborted ? signal.reason : new TypeError('terminated', { cause }));
    }
  };
  return new ReadableStream({ pull, cancel: () => void source.destroy() }, { highWaterMark: 0 });
}
