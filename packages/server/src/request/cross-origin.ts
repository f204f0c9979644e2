/** These answers read no cookie, so any origin may read them. The iframe's origin is `null`. */
import type { Context, Next } from 'koa';

/**
 * `Dowel-Answer` tells a page that the answer is the back end's and not that of a proxy in between, which may have
 * passed the call on (docs/decisions/0037-operations.md).
 */
export const anyOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Dowel-Answer, Retry-After, X-Request-Id',
  'Dowel-Answer': '1',
} as const;

/**
 * The answer to the preflight request of a call with a bearer. An own route may have any method and read any header. `*`
 * does not include `Authorization`; the other names are for browsers without `*`.
 */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': '*, Authorization, Content-Type, Traceparent',
  'Access-Control-Max-Age': '600',
} as const;

export async function allowAnyOrigin(ctx: Context, next: Next): Promise<void> {
  ctx.set(anyOrigin);
  await next();
}

/** For all paths below `api/`, also without a route: a page of another version must be able to read the 404. */
export function allowPages(receivers: readonly { prefix: string }[]) {
  const folders = receivers.map(({ prefix }) => `${prefix}/api/`);
  return async (ctx: Context, next: Next): Promise<void> => {
    if (!folders.some((folder) => ctx.path.startsWith(folder))) return next();
    ctx.set(anyOrigin);
    if (ctx.method !== 'OPTIONS') return next();
    ctx.set(preflightHeaders);
    ctx.status = 204;
  };
}
