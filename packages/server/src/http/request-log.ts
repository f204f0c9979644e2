/** Logs each request. A URL may contain a secret, so the log has the route's pattern instead. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context, Next } from 'koa';
import type { ApiError } from '../base/errors.ts';
import type { Log } from '../log/log.ts';
import { isRecorded } from '../request/server-exchange.ts';
import { eventOf } from './mark-events.ts';

/**
 * One line per request. `request` at info is work for a verified sender: a signature, a session or an
 * operator. Pages, files and preflights are public: debug. `request.refused` is info; refused events and
 * init JWTs have a record of their own, with the reason.
 */
export function logRequests(logger: Log) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    ctx.state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    await next();
    const isRefused = ctx.status >= 400;
    const isForAll = isRefused ? isRecorded(ctx) : !needsProof(ctx);
    const line = {
      requestId,
      method: ctx.method,
      route: routeOf(ctx),
      status: ctx.status,
      durationMs: Math.round(performance.now() - startedAt),
    };
    logger[isForAll ? 'debug' : 'info'](line, isRefused ? 'request.refused' : 'request');
  };
}

interface State {
  route?: string;
  /** The error of its body that was logged. */
  fault?: Error;
}

/** For a route that no router has found. */
export function markRoute({ state }: Context, route: string): void {
  (state as State).route = route;
}

function routeOf(ctx: Context): string | undefined {
  const { route } = ctx.state as State;
  // The event's name, for every spelling of its address.
  return eventOf(ctx) ?? route ?? (ctx as { _matchedRoute?: string })._matchedRoute;
}

/** Without authentication only reads succeed. Of these, only the dashboard's API requires it. */
function needsProof({ method, path }: Context): boolean {
  if (method === 'OPTIONS') return false;
  return (method !== 'GET' && method !== 'HEAD') || path.startsWith('/admin/api/');
}

/** Logs a 5xx answer. A defect, ours or that of an own route, is an error; an unavailable platform or database is not. */
export function logFailure(logger: Log, ctx: Context, error: ApiError): void {
  const isDefect = error.code === 'INTERNAL_ERROR';
  // Without a cause we chose the answer ourselves and have logged the reason.
  if (error.status < 500 || (!isDefect && error.cause === undefined)) return;
  const line = { ...nameRequest(ctx), code: error.code, err: error.cause ?? error };
  logger[isDefect ? 'error' : 'warn'](line, 'request.failed');
}

function nameRequest(ctx: Context) {
  const { requestId } = ctx.state as { requestId?: string };
  return { requestId, method: ctx.method, route: routeOf(ctx) };
}

const goneCodes = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];

/**
 * Errors outside of the middleware: of a body that is being sent, or of its reader. Most are readers that disconnect,
 * which is normal.
 */
export function logStreamFault(logger: Log, error: NodeJS.ErrnoException, ctx: Context): void {
  const { code } = error;
  const state = ctx.state as State;
  // A body's error arrives twice: from the body, and from its way to the reader.
  if (state.fault === error) return;
  state.fault = error;
  const request = nameRequest(ctx);
  if (code === undefined || !goneCodes.includes(code) || isOfBody(ctx, error)) {
    logger.error({ ...request, err: error }, 'request.failed');
    return;
  }
  // Every event stream ends this way.
  const isStream = ctx.type === 'text/event-stream';
  logger[isStream ? 'debug' : 'info']({ ...request, code }, 'connection.aborted');
}

/** The source of a body has failed. When the reader leaves, Node ends the source with an error of another code. */
function isOfBody({ body }: Context, error: NodeJS.ErrnoException): boolean {
  const isReader = error.code === 'ERR_STREAM_PREMATURE_CLOSE';
  return body instanceof Readable && body.errored === error && !isReader;
}
