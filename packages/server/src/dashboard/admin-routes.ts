/** The dashboard's API: sign-in by one-time code, then a cookie session. */

import { randomUUID } from 'node:crypto';
import type { AdminSession, Store } from '@dowel/installation-store';
import {
  installationListQuerySchema,
  type Manifest,
  type AdminSession as SessionAnswer,
  signInRequestSchema,
} from '@dowel/schema';
import type { TokenClient } from '@dowel/token-client';
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import { ApiError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { readJson } from '../request/read-body.ts';
import { readQuery } from '../request/read-query.ts';
import { requestOf } from '../request/server-exchange.ts';
import { createOpaqueToken, hashToken } from '../sessions/opaque-token.ts';
import { addActionRoutes, addAuditRoutes } from './action-routes.ts';
import type { AdminSignIn } from './admin-sign-in.ts';
import { streamChanges } from './change-stream.ts';
import { addFleetRoutes } from './fleet-routes.ts';
import { type Operator, operatorOf, requireRole, setOperator } from './operator.ts';
import { addRunRoutes } from './run-routes.ts';

const sessionLifetimeMs = 12 * 60 * 60 * 1000;
const idleMs = 30 * 60 * 1000;
/** A session's use is written at most once in this time. */
const useResolutionMs = 1_000;
const recentMs = 24 * 60 * 60 * 1000;

interface FoundSession extends AdminSession {
  tokenHash: string;
}

export interface AdminRoutesOptions {
  store: Store;
  signIn: AdminSignIn;
  tokenClient: TokenClient;
  /** Of the plug-ins; with several, the names stand side by side. */
  manifests: readonly Manifest[];
  /** Without a trailing slash; may have a path. */
  publicUrl: string;
  logger: Pick<Log, 'error'>;
  /** Aborting it ends the streams. */
  closing: AbortSignal;
  now: () => number;
}

interface AdminContext extends AdminRoutesOptions {
  cookie: { name: string; attributes: string };
  pluginName: string;
}

export function createAdminRoutes(options: AdminRoutesOptions) {
  const deps: AdminContext = {
    ...options,
    cookie: describeCookie(options.publicUrl),
    pluginName: options.manifests.map(nameOf).join(', '),
  };
  const router = new Router({ prefix: '/admin/api', strict: true, sensitive: true });
  router.use((ctx, next) => refuseForeignPages(deps, ctx, next));
  router.post('/session', (ctx) => signIn(deps, ctx));
  router.delete('/session', (ctx) => signOut(deps, ctx));
  router.get('/changes', (ctx) => openChangeStream(deps, ctx));
  router.use('/installations/:id/actions', async (ctx, next) => {
    await requireSession(deps, ctx);
    await next();
  });
  addActionRoutes(router, deps);
  // The routes below have an operator, whose role allows reading, or else changing.
  router.use((ctx, next) => admitOperator(deps, ctx, next));
  router.get('/session', showSession);
  router.get('/installations', (ctx) => listInstallations(deps, ctx));
  addAuditRoutes(router, deps);
  addRunRoutes(router, { ...deps, runs: new Map() });
  router.get('/installations/:id', (ctx) => showInstallation(deps, ctx, ctx.params.id ?? ''));
  addFleetRoutes(router, deps);
  return router;
}

/** Viewers only read. What needs an owner calls {@link requireRole} itself. */
async function admitOperator(deps: AdminContext, ctx: Context, next: Next): Promise<void> {
  await requireSession(deps, ctx);
  requireRole(ctx, isUnsafe(ctx) ? 'operator' : 'viewer');
  await next();
}

function isUnsafe({ method }: Context): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

function nameOf({ name }: Manifest): string {
  return name.en ?? Object.values(name)[0] ?? 'Plug-in';
}

function describeCookie(publicUrl: string): AdminContext['cookie'] {
  const { protocol, pathname } = new URL(`${publicUrl}/`);
  const isSecure = protocol === 'https:';
  // Browsers accept the prefix __Host- only for the whole host.
  const prefix = pathname === '/' ? '__Host-' : '__Secure-';
  return {
    name: `${isSecure ? prefix : ''}dowel_admin`,
    attributes: `Path=${pathname}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
  };
}

/**
 * Requires a custom header, which other pages cannot send, and checks the Origin, which they cannot
 * forge.
 */
async function refuseForeignPages(
  { publicUrl }: AdminContext,
  ctx: Context,
  next: Next,
): Promise<void> {
  const origin = ctx.get('Origin');
  if (
    isUnsafe(ctx) &&
    (ctx.get('X-Dowel-CSRF') !== '1' || (origin && origin !== new URL(publicUrl).origin))
  ) {
    throw new ApiError('CSRF', "The request does not come from the dashboard's own pages");
  }
  await next();
}

async function signIn(deps: AdminContext, ctx: Context): Promise<void> {
  const { store, cookie, logger, now } = deps;
  const { code } = await readJson(requestOf(ctx, logger), signInRequestSchema);
  deps.signIn.redeem(code);
  const token = createOpaqueToken();
  const createdAt = now();
  const session: AdminSession = {
    id: randomUUID(),
    name: 'operator',
    role: 'owner',
    method: 'code',
    createdAt,
    expiresAt: createdAt + sessionLifetimeMs,
    idleAt: createdAt + idleMs,
  };
  await store.sessions.createAdminSession(hashToken(token), session);
  ctx.set(
    'Set-Cookie',
    `${cookie.name}=${token}; ${cookie.attributes}; Max-Age=${sessionLifetimeMs / 1000}`,
  );
  ctx.status = 201;
  ctx.body = answerOf(session);
}

function showSession(ctx: Context): void {
  ctx.body = answerOf(operatorOf(ctx));
}

function answerOf({ name, role, method, expiresAt }: AdminSession | Operator): SessionAnswer {
  return { name, role, method, expiresAt };
}

async function signOut(deps: AdminContext, ctx: Context): Promise<void> {
  const { store, cookie } = deps;
  const { tokenHash } = await requireSession(deps, ctx);
  await store.sessions.removeAdminSession(tokenHash);
  ctx.set('Set-Cookie', `${cookie.name}=; ${cookie.attributes}; Max-Age=0`);
  ctx.status = 204;
}

async function listInstallations(deps: AdminContext, ctx: Context): Promise<void> {
  const { store, pluginName, logger, now } = deps;
  const query = readQuery(requestOf(ctx, logger), installationListQuerySchema);
  const page = await store.reports.listInstallations(query);
  const counts = await store.reports.countInstallations(now() - recentMs);
  ctx.body = { now: now(), pluginName, ...page, counts };
}

async function showInstallation(deps: AdminContext, ctx: Context, id: string): Promise<void> {
  const { store, manifests, pluginName, now } = deps;
  const report = await store.reports.describeInstallation(id);
  if (!report) throw new ApiError('NOT_FOUND', 'There is no such installation');
  const requestedScopes = [
    ...new Set(manifests.flatMap(({ apiAccess }) => apiAccess?.client.scope ?? [])),
  ];
  ctx.body = { now: now(), pluginName, requestedScopes, ...report };
}

async function openChangeStream(deps: AdminContext, ctx: Context): Promise<void> {
  const { store, closing, now } = deps;
  // An open page does not extend the session.
  const { expiresAt, tokenHash } = await findSession(deps, ctx);
  const hasSession = async () =>
    (await store.sessions.findAdminSession(tokenHash, now())) !== undefined;
  streamChanges(ctx, store, { lifetimeMs: expiresAt - now(), closing, hasSession });
}

/** A person's request extends the session. A request that the page marks as its own does not. */
async function requireSession(deps: AdminContext, ctx: Context): Promise<FoundSession> {
  const session = await findSession(deps, ctx);
  if (ctx.get('X-Dowel-Background') === '') await keepSession(deps, session);
  return session;
}

async function findSession(
  { store, cookie, now }: AdminContext,
  ctx: Context,
): Promise<FoundSession> {
  const tokenHash = hashToken(readCookie(ctx, cookie.name) ?? '');
  const session = await store.sessions.findAdminSession(tokenHash, now());
  if (!session) throw new ApiError('SIGN_IN_REQUIRED', 'Sign in first');
  const { id: sessionId, name, role, method, expiresAt } = session;
  setOperator(ctx, { name, role, method, sessionId, expiresAt });
  return { ...session, tokenHash };
}

function readCookie(ctx: Context, name: string): string | undefined {
  const pairs = ctx.get('Cookie').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

async function keepSession(
  { store, now }: AdminContext,
  { tokenHash, idleAt }: FoundSession,
): Promise<void> {
  const at = now();
  if (at + idleMs - idleAt < useResolutionMs) return;
  // The operator can still read while the database cannot write.
  await store.sessions.extendAdminSession(tokenHash, at + idleMs, at).catch(() => undefined);
}
