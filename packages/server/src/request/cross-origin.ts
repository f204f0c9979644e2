/** No cookie is read in these answers, so any origin may have them. The iframe's origin is `null`. */
import type { Context, Next } from 'koa';

export async function allowAnyOrigin(ctx: Context, next: Next): Promise<void> {
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.set('Access-Control-Expose-Headers', 'Retry-After');
  await next();
}

/** Answers the browser's question before a call with a bearer. */
export function answerPreflight(ctx: Context, methods = 'POST'): void {
  ctx.set('Access-Control-Allow-Methods', methods);
  ctx.set('Access-Control-Allow-Headers', 'Authorization, Content-Type, Traceparent');
  ctx.set('Access-Control-Max-Age', '600');
  ctx.status = 204;
}
