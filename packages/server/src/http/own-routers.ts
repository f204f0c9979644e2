/** The routers of the plug-in's own routes. Apart from `own-routes.ts`, because published types name no framework. */
import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Log } from '../log/log.ts';
import { allowAnyOrigin, answerPreflight } from '../request/cross-origin.ts';
import { parseJson, readJsonText } from '../request/read-body.ts';
import { requestOf } from '../request/server-exchange.ts';
import type { ServerRequest } from '../request/server-request.ts';
import { callerOf } from '../sessions/caller.ts';
import { requireSession } from '../sessions/require-session.ts';
import {
  type SessionWatchContext,
  type WatchedAnswer,
  watchSession,
} from '../sessions/watch-session.ts';
import type { OwnRoutes, RouteAnswer, RouteContext } from './own-routes.ts';

const defaultMaxBytes = 65_536;

export interface OwnRoutesContext extends SessionWatchContext {
  logger: Log;
  /** '' or `/polls`. */
  prefix: string;
  ownRoutes: OwnRoutes;
}

/** Every route of users asks for the session before its handler sees the request. */
export function createUserRouter(context: OwnRoutesContext): Router {
  const { prefix, ownRoutes } = context;
  const router = new Router({ prefix: `${prefix}/api`, strict: true, sensitive: true });
  router.use(allowAnyOrigin);
  for (const { method, path, handle } of ownRoutes.ofUsers) {
    const methods = ownRoutes.ofUsers
      .filter((each) => each.path === path)
      .map((each) => each.method.toUpperCase());
    router.options(path, (ctx) => answerPreflight(ctx, methods.join(', ')));
    router[method](path, async (ctx) => {
      const request = requestOf(ctx, context.logger);
      const session = await requireSession(context, request);
      const route = describeRequest(ctx, request, context.logger);
      const answer = await handle({ ...route, caller: callerOf(session) });
      if (answer?.body instanceof Readable) endWithSession(context, ctx, { request, session });
      send(ctx, answer);
    });
  }
  return router;
}

export function createPublicRouter({ prefix, logger, ownRoutes }: OwnRoutesContext): Router {
  const router = new Router({ prefix, strict: true, sensitive: true });
  for (const { method, path, handle } of ownRoutes.ofAll) {
    router[method](path, async (ctx) => {
      send(ctx, await handle(describeRequest(ctx, requestOf(ctx, logger), logger)));
    });
  }
  return router;
}

/** Cuts the connection, so that the page does not take a part of the answer for all of it. */
function endWithSession(
  context: OwnRoutesContext,
  { res }: Context,
  { request, session }: Omit<WatchedAnswer, 'end'>,
): void {
  res.once('close', watchSession(context, { request, session, end: () => res.destroy() }));
}

function describeRequest(
  { params }: { params: Record<string, string> },
  request: ServerRequest,
  log: Log,
): RouteContext {
  const { method, path, query, header, address, requestId, signal } = request;
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
    json: async (maxBytes) => parseJson(await readJsonText(request, maxBytes)),
    bytes: (maxBytes = defaultMaxBytes) => request.body(maxBytes),
  };
}

function send(ctx: Context, answer: RouteAnswer = {}): void {
  const { status = answer.body === undefined ? 204 : 200, headers = {}, body } = answer;
  ctx.set(headers);
  ctx.status = status;
  if (body instanceof Uint8Array) ctx.body = Buffer.from(body);
  else if (body !== undefined) ctx.body = body;
}
