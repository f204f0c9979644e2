/**
 * Requests that need little of `fetch`: bytes or no body, and no redirect that is followed. undici's dispatcher sends them for a
 * small part of the CPU time of its `fetch`. Answers and errors are those of `fetch`.
 */
import type { Dispatcher, RequestInit } from 'undici';
import { decodeBody } from './decode-body.ts';
import { WholeResponse } from './derived-response.ts';
import { followSignals } from './follow-signals.ts';
import { type AnswerHead, PlainExchange } from './plain-exchange.ts';
import { BodyTooLargeError, boundStream } from './read-bounded.ts';
import { assertStatus, toReasonPhrase } from './status-line.ts';
import { type BodyWatch, watchBody } from './watch-body.ts';

/** What this package adds to the options of `fetch`. */
export interface OwnOptions {
  /** Ends the request as long as the headers of its answer have not arrived. `signal` ends its body, too. */
  untilHeaders?: AbortSignal;
  /** After more bytes, the body of the answer breaks off with a BodyTooLargeError. Default: no limit. */
  maxBodyBytes?: number;
  /**
   * Called when the request no longer needs its connection: its answer has arrived whole, or has failed, or was
   * cancelled. That may be before the fetch resolves. Not called for a request that was never begun.
   */
  onBodyEnd?: () => void;
  /**
   * Called before the fetch rejects, if nothing of the request was sent, so it has had no effect. A request
   * that a signal ends rejects with the signal's reason, which does not show whether it was sent.
   */
  onUnsent?: () => void;
}

type GivenInit = RequestInit & OwnOptions;

interface PlainInit extends GivenInit {
  body?: string | Uint8Array<ArrayBuffer> | null;
  redirect: 'error' | 'manual';
}

const ownKeys = ['untilHeaders', 'maxBodyBytes', 'onBodyEnd', 'onUnsent'];
const plainKeys = new Set(['method', 'headers', 'body', 'redirect', 'signal', ...ownKeys]);
const readingMethods = ['GET', 'HEAD'];
const plainMethods = [...readingMethods, 'POST', 'PUT', 'PATCH', 'DELETE'];
const redirects = new Set([301, 302, 303, 307, 308]);
const withoutBody = new Set([204, 205, 304]);

/** False: only `fetch` can send it, or refuse it. */
export function isPlain(input: unknown, init: GivenInit): init is PlainInit {
  const { method = 'GET', body = null, redirect } = init;
  if (typeof input !== 'string' || !/^https?:/i.test(input)) return false;
  if (redirect !== 'error' && redirect !== 'manual') return false;
  if (!plainMethods.includes(method)) return false;
  const isBytes = typeof body === 'string' || body instanceof Uint8Array;
  const mayHaveBody = isBytes && !readingMethods.includes(method);
  return (body === null || mayHaveBody) && Object.keys(init).every((key) => plainKeys.has(key));
}

/** @throws TypeError with a cause when there is no answer; a signal's reason. */
export async function requestPlain(
  agent: Dispatcher,
  input: string,
  { init, watch }: { init: PlainInit; watch: BodyWatch },
): Promise<Response> {
  const { body = null, method = 'GET', maxBodyBytes = Infinity } = init;
  const exchange = new PlainExchange();
  const signals = followSignals(init.signal, init.untilHeaders, (reason) => exchange.end(reason));
  const watched = watchBody(agent, {
    ...watch,
    onBodyEnd() {
      signals.release();
      watch.onBodyEnd?.();
    },
  });
  try {
    const { origin, pathname, search } = new URL(input);
    const path = `${pathname}${search}`;
    const headers = completeHeaders(init);
    watched.dispatch({ origin, path, method, body, headers }, exchange);
    const head = await exchange.answered;
    // From here on, only the caller's own signal counts.
    signals.releaseSecond();
    if (init.redirect === 'error' && redirects.has(head.status)) {
      throw new Error(`The answer is a redirect (${head.status})`);
    }
    return toResponse(exchange, head, { isHead: method === 'HEAD', maxBodyBytes });
  } catch (cause) {
    signals.release();
    if (exchange.ended) throw exchange.ended.reason;
    exchange.end(cause);
    throw new TypeError('fetch failed', { cause });
  }
}

/** The headers, and those that `fetch` adds. */
function completeHeaders({ headers, body }: PlainInit): Record<string, string> {
  return {
    accept: '*/*',
    'accept-encoding': 'gzip',
    'user-agent': 'undici',
    ...(typeof body === 'string' && { 'content-type': 'text/plain;charset=UTF-8' }),
    ...Object.fromEntries(toHeaders(headers)),
  };
}

/** To copy headers costs as much as to make them. */
function toHeaders(given: PlainInit['headers']): Headers {
  return given instanceof Headers ? given : new Headers(given as Record<string, string>);
}

function toResponse(
  exchange: PlainExchange,
  { status, statusText, headers }: AnswerHead,
  { isHead, maxBodyBytes }: { isHead: boolean; maxBodyBytes: number },
): Response {
  assertStatus(status);
  // With its headers from the start: Hono's `Response`, where it replaces Node's, gives a bare body a content type.
  const init = { status, statusText: toReasonPhrase(statusText), headers: readHeaders(headers) };
  if (isHead || withoutBody.has(status)) {
    exchange.stream().destroy();
    return new Response(null, init);
  }
  const { 'content-encoding': coding } = headers;
  const bytes = coding === undefined ? exchange.whole() : undefined;
  if (bytes && bytes.byteLength <= maxBodyBytes) return new WholeResponse(bytes, init);
  return new Response(streamOf(exchange, { coding: String(coding ?? ''), maxBodyBytes }), init);
}

function readHeaders(received: AnswerHead['headers']): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(received)) {
    if (typeof value === 'string') headers.append(name, value);
    else for (const each of value) headers.append(name, each);
  }
  return headers;
}

function streamOf(
  exchange: PlainExchange,
  { coding, maxBodyBytes }: { coding: string; maxBodyBytes: number },
): Response['body'] {
  const source = decodeBody(exchange.stream(), coding);
  // Also without a reader, its error must not end the process.
  source.on('error', () => undefined);
  const stream = boundStream({
    source,
    maxBytes: maxBodyBytes,
    stop: () => void source.destroy(),
    toError: (error) => (exchange.ended ? exchange.ended.reason : toBodyError(error)),
  });
  // Node's stream and the one of the type Response are the same, with two types.
  return stream as unknown as Response['body'];
}

function toBodyError(error: unknown): unknown {
  return error instanceof BodyTooLargeError ? error : new TypeError('terminated', { cause: error });
}
