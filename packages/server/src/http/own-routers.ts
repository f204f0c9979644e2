/**
 * The routers of the plug-in's own routes. They are not in `own-routes.ts`, whose published types name no framework.
 */
import { once } from 'node:events';
import { ReadStream } from 'node:fs';
import { isReadable, Readable, Stream } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { liveHeaders } from '@dowel/http';
import { assertCount } from '@dowel/schema';
import Router from '@koa/router';
import type { Context } from 'koa';
import { toApiError } from '../base/errors.ts';
import type { Log } from '../log/log.ts';
import { sandboxFlags } from '../request/page-sandbox.ts';
import { parseJson, readJsonText } from '../request/read-body.ts';
import { requestOf } from '../request/server-exchange.ts';
import type { ServerRequest } from '../request/server-request.ts';
import { whenClosed } from '../request/when-closed.ts';
import { type Caller, callerOf } from '../sessions/caller.ts';
import { requireSession } from '../sessions/require-session.ts';
import {
  type SessionWatchContext,
  type WatchedAnswer,
  watchSession,
} from '../sessions/watch-session.ts';
import { markAnswered } from './answer-errors.ts';
import { assertAnswer, type OwnRoutes, type RouteAnswer, type RouteContext } from './own-routes.ts';

const defaultMaxBytes = 65_536;

export interface OwnRoutesContext extends SessionWatchContext {
  logger: Log;
  /** '' or `/polls`. */
  prefix: string;
  ownRoutes: OwnRoutes;
  /** Aborted when the server stops. */
  closing: Pick<AbortController, 'signal'>;
}

/** Creates the router of `userRoutes`. Each route finds the session before its handler is called. */
export function createUserRouter(context: OwnRoutesContext): Router {
  const { prefix, ownRoutes } = context;
  const router = new Router({ prefix: `${prefix}/api`, strict: true, sensitive: true });
  for (const { method, path, handle } of ownRoutes.ofUsers) {
    router[method](path, async (ctx) => {
      const request = requestOf(ctx, context.logger);
      const session = await requireSession(context, request);
      const route = describeRequest(ctx, askAfterBody(context, request), context.logger);
      const caller = callerOf(context.plugin, session);
      send(ctx, await untilOpened(await answerUser(() => handle({ ...route, caller }), caller)));
      if (ctx.body instanceof Stream) endWithSession(context, ctx, { request, session });
      endWithServer(context, ctx);
    });
  }
  return router;
}

/** Creates the router of `publicRoutes`, which need no session. */
export function createPublicRouter(context: OwnRoutesContext): Router {
  const { prefix, logger, ownRoutes } = context;
  const router = new Router({ prefix, strict: true, sensitive: true });
  for (const { method, path, handle } of ownRoutes.ofAll) {
    router[method](path, async (ctx) => {
      const route = describeRequest(ctx, requestOf(ctx, logger), logger);
      send(ctx, await untilOpened(await handle(route)));
      endWithServer(context, ctx);
    });
  }
  return router;
}

/** The session may end while the body arrives. Then the handler gets no body. */
function askAfterBody(context: OwnRoutesContext, request: ServerRequest): ServerRequest {
  return {
    ...request,
    async body(maxBytes) {
      const bytes = await request.body(maxBytes);
      await requireSession(context, request);
      return bytes;
    },
  };
}

/** @throws ApiError `SESSION_INVALID` if a call of the platform says that the caller's installation has ended. */
async function answerUser(
  handle: () => RouteAnswer | undefined | Promise<RouteAnswer | undefined>,
  { installation }: Caller,
): Promise<RouteAnswer | undefined> {
  try {
    return await handle();
  } catch (error) {
    throw toApiError(error, installation);
  }
}

/**
 * An event stream would never end by itself, so it ends when the server stops. Browsers reconnect to another process.
 */
function endWithServer(
  { closing: { signal } }: OwnRoutesContext,
  { res, response }: Context,
): void {
  if (!response.is('text/event-stream')) return;
  const end = () => void res.destroy();
  if (signal.aborted) setImmediate(end);
  signal.addEventListener('abort', end);
  whenClosed(res, () => signal.removeEventListener('abort', end));
}

/** Cuts the connection, so that the page does not take a part of the answer for all of it. */
function endWithSession(
  context: OwnRoutesContext,
  { res }: Context,
  { request, session }: Omit<WatchedAnswer, 'end'>,
): void {
  whenClosed(res, watchSession(context, { request, session, end: () => res.destroy() }));
}

function describeRequest(
  { params }: { params: Record<string, string> },
  request: ServerRequest,
  log: Log,
): RouteContext {
  const { method, path, query, header, address, requestId, signal } = request;
  const body = readOnce(request);
  return {
    method,
    path,
    params,
    query,
    header: (name) => header(name.toLowerCase()),
    address,
    requestId,
    signal,
    log,
    async json(maxBytes = defaultMaxBytes) {
      assertCount(maxBytes, 'The maxBytes of json()');
      return parseJson(await readJsonText({ ...request, body }, maxBytes));
    },
    async bytes(maxBytes = defaultMaxBytes) {
      assertCount(maxBytes, 'The maxBytes of bytes()');
      return body(maxBytes);
    },
  };
}

/** A second call would find nothing. The log would then blame the host framework. */
function readOnce(request: ServerRequest): ServerRequest['body'] {
  let isRead = false;
  return async (maxBytes) => {
    if (isRead) throw new TypeError('The body was read before: call json() or bytes(), once');
    isRead = true;
    return request.body(maxBytes);
  };
}

/** A file that cannot be opened is an error of the route. Later it would break off an answer with status 200. */
async function untilOpened(answer: RouteAnswer | undefined): Promise<RouteAnswer | undefined> {
  const body = answer?.body;
  if (body instanceof ReadStream && body.pending) await once(body, 'open');
  return answer;
}

function send(ctx: Context, answer: RouteAnswer = {}): void {
  const usual = ctx.res.getHeaders();
  try {
    fill(ctx, answer);
  } catch (error) {
    // With the route's headers, the error could be cached for days or saved as a file.
    for (const name of ctx.res.getHeaderNames()) ctx.remove(name);
    ctx.set(usual as Record<string, string>);
    // A route may have returned the body itself.
    discard(answer);
    discard(answer?.body);
    throw error;
  }
}

/** Ends a body that is not sent. It may hold a file or a connection open. */
function discard(body: unknown): void {
  if (body instanceof Readable) ignoreErrors(body).destroy();
  const web = isResponse(body) ? body.body : body;
  // A stream that is read elsewhere cannot be cancelled.
  if (web instanceof ReadableStream) web.cancel().catch(() => {});
}

/** The reader of a stream reports its errors. Without a reader, as after HEAD, an error would end the process. */
function ignoreErrors<Body extends Stream>(body: Body): Body {
  return body.on('error', () => {});
}

function fill(ctx: Context, answer: RouteAnswer): void {
  assertAnswer(answer);
  const { headers = {}, body } = answer;
  ctx.set(headers);
  ctx.status = answer.status ?? statusOf(body);
  if (body instanceof ArrayBuffer) ctx.body = Buffer.from(body);
  else if (body instanceof Uint8Array) ctx.body = Buffer.from(body);
  else if (body instanceof Blob) sendWeb(ctx, body.stream(), body.type);
  else if (isResponse(body)) sendResponse(ctx, body);
  else if (body instanceof ReadableStream) sendWeb(ctx, body);
  else if (body instanceof Stream) sendStream(ctx, body);
  else if (typeof body === 'string') ctx.body = body;
  else if (body === undefined || body === null) ctx.body = '';
  else sendJson(ctx, body);
  if (ctx.body instanceof Stream) ignoreErrors(ctx.body);
  const isLive = ctx.body instanceof Stream && !isAtRest(body);
  if (isLive && !ctx.response.get('X-Accel-Buffering')) {
    ctx.set(liveHeaders(ctx.response.get('Cache-Control')));
  }
  if (!hasPolicy(headers) && ctx.response.is(...documentTypes)) sandbox(ctx);
  markAnswered(ctx);
}

/** The body has no pieces that somebody waits for. A proxy may keep them until a slow reader takes them. */
function isAtRest(body: unknown): boolean {
  return body instanceof Blob || body instanceof ReadStream;
}

/** Browsers run the scripts in documents of these types. */
const documentTypes = ['html', 'text/xml', 'application/xml', '+xml'];

function hasPolicy(headers: Record<string, string>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === policyName);
}

const policyName = 'content-security-policy';

function sandbox(ctx: Context): void {
  const policy = ctx.response.get(policyName);
  ctx.set(policyName, `${policy}; sandbox ${sandboxFlags.join(' ')}`);
}

/** Its other headers are not kept: those of an answer of `fetch` may be of its connection. */
function sendResponse(ctx: Context, { body, headers }: Response): void {
  const location = headers.get('location');
  if (location !== null && !ctx.response.get('Location')) ctx.set('Location', location);
  sendWeb(ctx, body, headers.get('content-type'));
}

/** @throws TypeError. Its reader's end would be an error that nobody hears, and end the process. */
function sendStream(ctx: Context, body: Stream): void {
  if (!isReadable(body as Readable)) {
    throw new TypeError(
      "The body of a route's answer is a stream that cannot be read: it has ended or failed, or is only for writing",
    );
  }
  ctx.body = body;
}

/** These would be `{}`. */
const noJson = [Promise, Map, Set, FormData, URLSearchParams];

/** Not left to Koa, which would write it when our headers cannot be kept any more. @throws TypeError */
function sendJson(ctx: Context, body: object): void {
  if (Symbol.asyncIterator in body) {
    throw new TypeError(
      "The body of a route's answer is an async iterable, such as a generator. Write Readable.from(…) around it",
    );
  }
  const wrong = noJson.find((each) => body instanceof each);
  const text = wrong ? undefined : JSON.stringify(body);
  if (text === undefined) {
    throw new TypeError(
      `The body of a route's answer is no JSON: ${wrong ? `a ${wrong.name}` : `a ${typeof body}`}. Await a promise, and give the values of others`,
    );
  }
  if (!ctx.response.get('Content-Type')) ctx.type = 'json';
  ctx.body = text;
}

function statusOf(body: RouteAnswer['body']): number {
  if (isResponse(body)) return body.status;
  return body === undefined ? 204 : 200;
}

/** Also one of Node's own `fetch` after Hono has put its own class in place of Node's, and one of the package undici. */
function isResponse(body: unknown): body is Response {
  return Object.prototype.toString.call(body) === '[object Response]';
}

/** Converts it to a stream of Node: Koa would not end a web stream when its reader leaves. */
function sendWeb(ctx: Context, body: ReadableStream | null, type: string | null = null): void {
  // By its type, Koa would add a charset that the text may not have.
  if (type && !ctx.response.get('Content-Type')) ctx.set('Content-Type', type);
  ctx.body = body === null ? '' : Readable.fromWeb(body as NodeStream);
}
