/** One route of the control API: what it reads and answers, for its handler and for its description. */
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { ControlSessions } from './control-session.ts';
import type { Environment } from './environment.ts';
import type { Operations } from './operations.ts';
import type { OwnRoute, Visitor } from './own-route.ts';
import { readJson, readQuery } from './request-body.ts';

/** What the routes act on. */
export interface Control {
  env: Environment;
  operations: Operations;
  sessions: ControlSessions;
}

interface RouteShape<Query, Body, Answer> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/control`, with parameters such as `:id`. */
  path: string;
  /** Without a full stop. */
  summary: string;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Default: the limit of all bodies. */
  maxBytes?: number;
  answer?: z.ZodType<Answer>;
  /** Default: 200 with an answer, 204 without one. */
  status?: number;
}

interface Given<Query, Body> {
  ctx: Context;
  params: Record<string, string>;
  query: Query;
  body: Body;
}

/** A handler that returns undefined is answered 204, unless it has set a body. */
export interface ControlRoute extends RouteShape<unknown, unknown, unknown> {
  needsSession: boolean;
  handle(ctx: Context, visitor: () => Visitor): Promise<unknown>;
}

/** The route of a program, as one of the control API. */
export function toControlRoute({ handle, ...shape }: OwnRoute): ControlRoute {
  return route({ ...shape, handle: ({ params }, visitor) => handle(params, visitor) });
}

/** A route for a user who has signed in. */
export function route<Query, Body, Answer>(
  shape: RouteShape<Query, Body, Answer> & {
    handle(given: Given<Query, Body>, visitor: Visitor): Answer | Promise<Answer> | undefined;
  },
): ControlRoute {
  return {
    ...shape,
    needsSession: true,
    async handle(ctx, visitor) {
      const who = visitor();
      return shape.handle(await readRequest(ctx, shape), who);
    },
  };
}

/** A route for everybody. */
export function openRoute<Query, Body, Answer>(
  shape: RouteShape<Query, Body, Answer> & {
    handle(given: Given<Query, Body>): Answer | Promise<Answer> | undefined;
  },
): ControlRoute {
  return {
    ...shape,
    needsSession: false,
    handle: async (ctx) => shape.handle(await readRequest(ctx, shape)),
  };
}

/** @throws PlatformError `INVALID_REQUEST`, `MEDIA_TYPE_UNSUPPORTED`, `BODY_TOO_LARGE` */
async function readRequest<Query, Body>(
  ctx: Context & { params?: Record<string, string> },
  { query, body, maxBytes }: RouteShape<Query, Body, unknown>,
): Promise<Given<Query, Body>> {
  return {
    ctx,
    params: ctx.params ?? {},
    query: (query && readQuery(ctx, query)) as Query,
    body: (body && (await readJson(ctx, body, maxBytes))) as Body,
  };
}

export function addRoutes(
  router: Router,
  routes: readonly ControlRoute[],
  visitorOf: (ctx: Context) => Visitor,
): void {
  for (const { method, path, status = 200, answer: schema, handle } of routes) {
    router.register(path, [method], async (ctx) => {
      const answer = await handle(ctx, () => visitorOf(ctx));
      if (answer !== undefined && schema) {
        ctx.status = status;
        ctx.body = schema.parse(answer);
      } else if (ctx.body === undefined) ctx.status = 204;
    });
  }
}
