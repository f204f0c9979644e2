/** Routes of the dashboard's API as objects: each is checked, answered and described by the same one. */
import { isRoleEnough, type OperatorRole } from '@dowel/admin-api';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { Actor } from '../actions/action-context.ts';
import { assertRole } from '../actions/assert-role.ts';
import { ApiError } from '../base/errors.ts';
import { pathText } from '../request/path-text.ts';
import { readJson } from '../request/read-body.ts';
import { readQuery } from '../request/read-query.ts';
import { requestOf } from '../request/server-exchange.ts';
import {
  type CodeContext,
  type FoundSession,
  findSession,
  keepSession,
  takeSignInCode,
} from './operator-session.ts';

/** Returned by a handler that has set status and body itself. */
export const written = Symbol('written');

/** The request of a route without a session. */
export interface OpenCall<Query, Body, Param extends string> {
  ctx: Context;
  params: Readonly<Record<Param, string>>;
  query: Query;
  body: Body;
}

/** The request of an operator. */
export interface Call<Query, Body, Param extends string> extends OpenCall<Query, Body, Param> {
  session: FoundSession;
  /** The operator, for the audit. */
  actor: Actor;
}

type Method = 'GET' | 'POST' | 'DELETE';

interface Description<
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
  Param extends string,
> {
  summary: string;
  query?: Query;
  body?: Body;
  /** The schema of one path's body, if `body` is that of all paths. */
  bodyOf?: (params: Readonly<Record<Param, string>>) => z.ZodType<z.output<Body>>;
  /** Default: 64 KiB. */
  maxBytes?: number;
  /** Default: the answer has no body. */
  answer?: Answer;
  /** The body of status 409. Default: that of any error. */
  refusal?: z.ZodType;
  /** Default: 200, or 204 without a body. */
  status?: number;
  /** Default: `application/json`. A stream does not extend the session. */
  mediaType?: 'application/json' | 'text/event-stream';
  /** Another site may send the browser here. */
  isReturn?: boolean;
}

/** A route with its path below `/admin/api`. Its generic types are checked where it is made. */
export interface AdminRoute extends Description<z.ZodType, z.ZodType, z.ZodType, string> {
  method: Method;
  path: string;
  /** The lowest role that may call it. Undefined: no session is needed. */
  role: OperatorRole | undefined;
  handle: (call: Call<unknown, unknown, string>) => Promise<unknown>;
}

type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Answered<Answer extends z.ZodType> = Promise<z.output<Answer> | typeof written>;

/**
 * Creates a route of operators.
 *
 * @param place the method, and the path below `/admin/api`.
 * @param spec a GET is refused below its role. Any other request checks the role in its action: the audit has the
 *   refusal.
 */
export function route<
  Path extends string,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodVoid,
>(
  place: `${Method} ${Path}`,
  spec: Description<Query, Body, Answer, ParamsOf<Path>> & {
    role: OperatorRole;
    handle: (call: Call<z.output<Query>, z.output<Body>, ParamsOf<Path>>) => Answered<Answer>;
  },
): AdminRoute {
  return { ...parsePlace(place), ...spec } as unknown as AdminRoute;
}

/** Creates a route that needs no session. See {@link route}. */
export function openRoute<
  Path extends string,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodVoid,
>(
  place: `${Method} ${Path}`,
  spec: Description<Query, Body, Answer, ParamsOf<Path>> & {
    handle: (call: OpenCall<z.output<Query>, z.output<Body>, ParamsOf<Path>>) => Answered<Answer>;
  },
): AdminRoute {
  return { ...parsePlace(place), role: undefined, ...spec } as unknown as AdminRoute;
}

function parsePlace(place: string): Pick<AdminRoute, 'method' | 'path'> {
  const [method, path = ''] = place.split(' ');
  return { method: method as Method, path };
}

export interface AdminRouterContext extends CodeContext {
  /** Where the dashboard is, with its path. */
  adminUrl: string;
}

/** Mounts the routes. Each request passes the checks of its route: the page it comes from, session, role, path, query, body. */
export function mountRoutes(
  router: Router,
  routes: readonly AdminRoute[],
  context: AdminRouterContext,
): void {
  for (const each of routes) {
    router.register(each.path, [each.method], (ctx: Context) => answerRoute(context, each, ctx));
  }
}

async function answerRoute(
  context: AdminRouterContext,
  route: AdminRoute,
  ctx: Context,
): Promise<void> {
  refuseForeignPages(context, route, ctx);
  const ofOperator = route.role && (await admitOperator(context, route, ctx));
  const request = () => requestOf(ctx, context.logger);
  const params = Object.fromEntries(
    Object.entries<string>(ctx.params).map(([name, value]) => [name, pathText(value)]),
  );
  const query = route.query && readQuery(request(), route.query);
  const schema = route.bodyOf?.(params) ?? route.body;
  const body = schema && (await readJson(request(), schema, route.maxBytes));
  const call = { ctx, params, query, body, ...ofOperator } as Call<unknown, unknown, string>;
  const answer = await route.handle(call);
  if (answer === written) return;
  ctx.status = route.status ?? (route.answer ? 200 : 204);
  if (route.answer) ctx.body = answer;
}

type Operated = Pick<Call<unknown, unknown, string>, 'session' | 'actor'>;

/** @throws ApiError `SIGN_IN_REQUIRED`, `SIGN_IN_FAILED`, `ROLE_MISSING` */
async function admitOperator(
  context: AdminRouterContext,
  { method, role = 'owner', mediaType }: AdminRoute,
  ctx: Context,
): Promise<Operated> {
  const [, code] = /^Bearer (.+)$/.exec(ctx.get('Authorization')) ?? [];
  if (code !== undefined) return admitCommand(context, ctx, code);
  const session = await findSession(context, ctx);
  if (mediaType !== 'text/event-stream') await keepSession(context, ctx, session);
  if (method === 'GET') assertRole(session, role);
  const { name: who, role: own, identity } = session;
  return { session, actor: { who, identity, role: own, way: 'page', from: ctx.ip } };
}

/**
 * A command brings a one-time code, for this request only (docs/decisions/0042-sign-in.md). Its session is not
 * stored, so a stream ends at once.
 *
 * @throws ApiError `SIGN_IN_FAILED`
 */
async function admitCommand(
  context: AdminRouterContext,
  ctx: Context,
  code: string,
): Promise<Operated> {
  const owner = await takeSignInCode(context, ctx, code);
  const at = context.now();
  const times = { createdAt: at, expiresAt: at, idleAt: at };
  const place = { address: ctx.ip, browser: null, system: null };
  const session: FoundSession = {
    ...owner,
    ...times,
    ...place,
    id: '',
    method: 'code',
    tokenHash: '',
  };
  const { name: who, role } = owner;
  return { session, actor: { who, role, way: 'cli', from: ctx.ip } };
}

/** Whether an operator may see addresses of people and machines, and hosts other than tenants'. */
export function maySeeAddresses({ role }: Pick<FoundSession, 'role'>): boolean {
  return isRoleEnough(role, 'operator');
}

/**
 * Requires a custom header for changes, which other pages cannot send, and checks Origin and Sec-Fetch-Site, which they
 * cannot forge. Programs and old browsers send neither.
 *
 * @throws ApiError `CSRF`
 */
function refuseForeignPages(
  { adminUrl }: AdminRouterContext,
  { method, isReturn = false }: AdminRoute,
  ctx: Context,
): void {
  const origin = ctx.get('Origin');
  const isForeign = origin !== '' && origin !== new URL(adminUrl).origin;
  // The identity provider sends the browser back from its own site. That request is bound to its sign-in by `state`.
  const isOfOwnPage = isReturn || ['', 'same-origin', 'none'].includes(ctx.get('Sec-Fetch-Site'));
  const hasHeader = ctx.get('X-Dowel-CSRF') === '1';
  if (!isForeign && isOfOwnPage && (method === 'GET' || hasHeader)) return;
  const message = "The request does not come from the dashboard's own pages";
  // The dashboard's page at another address, such as 127.0.0.1 for localhost, sends the header, too.
  const fix = `Open the dashboard at ${adminUrl}/admin/, or correct DOWEL_PUBLIC_URL or DOWEL_ADMIN_ORIGIN`;
  throw new ApiError('CSRF', hasHeader ? `${message}. ${fix}` : message);
}
