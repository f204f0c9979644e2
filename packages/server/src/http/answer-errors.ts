/** Turns every error into JSON with the headers of every answer. */
import type Koa from 'koa';
import type { Context, Next } from 'koa';
import { ApiError, bodyForPlatform, toApiError } from '../base/errors.ts';
import type { Log } from '../log/log.ts';
import { eventOf, isFromPlatform } from './mark-events.ts';
import { logFailure } from './request-log.ts';

/** Answers errors in JSON. On the event URLs it has the platform's form, `{code: number, message}`. */
export function answerErrors(logger: Log) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      // control A16
      if (!ctx.body && !isAnswered(ctx)) assertRouted(ctx);
    } catch (thrown) {
      const error = toApiError(thrown);
      logFailure(logger, ctx, error);
      ctx.set(error.headers);
      ctx.status = error.status;
      const body = bodyForPlatform(error);
      ctx.body = isFromPlatform(ctx) ? body : { ...body, code: error.code };
    }
  };
}

interface State {
  isAnswered?: boolean;
}

/** The answer of an own route is sent as it is, also if it is a 404 without a body. */
export function markAnswered({ state }: Context): void {
  (state as State).isAnswered = true;
}

function isAnswered({ state }: Context): boolean {
  return (state as State).isAnswered === true;
}

function assertRouted(ctx: Context): void {
  const { status, method } = ctx;
  const isBareOptions = method === 'OPTIONS' && isFromPlatform(ctx);
  if (eventOf(ctx)) {
    throw new ApiError('METHOD_NOT_ALLOWED', 'Events are sent by POST', {
      headers: { Allow: 'POST' },
    });
  }
  if (status === 404) throw new ApiError('NOT_FOUND', 'There is nothing at this address');
  if (status === 405 || status === 501 || isBareOptions) {
    throw new ApiError('METHOD_NOT_ALLOWED', 'The method is not allowed here');
  }
}

/**
 * Answers errors outside of {@link answerErrors}, such as a failed write. Koa's own answer is text
 * without our headers.
 */
export function answerFaults(app: Koa, headers: Record<string, string>): void {
  app.context.onerror = function answerFault(this: Context, fault: Error | null | undefined) {
    // Koa calls this at the end of every answer, without an error.
    if (!fault) return;
    app.emit('error', fault, this);
    const { res } = this;
    if (res.headersSent && !res.writableEnded) res.destroy();
    if (res.headersSent || !this.writable) return;
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    const { status, code, message } = toApiError(fault);
    const body = JSON.stringify({ code: isFromPlatform(this) ? status : code, message });
    this.set(headers);
    this.status = status;
    this.type = 'json';
    this.length = Buffer.byteLength(body);
    res.end(body);
  };
}
