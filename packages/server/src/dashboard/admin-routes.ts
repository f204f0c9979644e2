/** The dashboard's API: sign-in, then reading in a cookie session. */
import type { ApplyChange, Store } from '@dowel/installation-store';
import type { PlatformJwtVerifier } from '@dowel/platform-jwt';
import type { Setting } from '@dowel/schema';
import type { TokenClient } from '@dowel/token-client';
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import type { RunsContext } from '../actions/runs.ts';
import type { AlertsContext } from '../alerts/alerts-context.ts';
import { ApiError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { namePlugins, type ServedPlugin } from '../served-plugin.ts';
import { type ShapeTally, writeShapes } from '../shape-tally.ts';
import { addAccountRoutes } from './account-routes.ts';
import { addActionRoutes, addAuditRoutes } from './action-routes.ts';
import { addAlertRoutes } from './alert-routes.ts';
import { type ChangeFeed, createChangeFeed } from './change-feed.ts';
import { streamChanges } from './change-stream.ts';
import { describeAdminApi } from './describe-admin-api.ts';
import { createSenderCounters } from './failure-limits.ts';
import { addExportRoute } from './fleet-export.ts';
import { addFleetRoutes } from './fleet-routes.ts';
import { addKeyRoutes } from './key-routes.ts';
import type { OidcProvider } from './oidc-provider.ts';
import { leaveForProvider, returnFromProvider } from './oidc-routes.ts';
import { requireRole } from './operator.ts';
import { createOperatorLimits } from './operator-limits.ts';
import {
  describeSessionCookie,
  findSession,
  hasSession,
  requireSession,
} from './operator-session.ts';
import { createPasswordGate } from './password-sign-in.ts';
import { addRunRoutes } from './run-routes.ts';
import {
  chooseLanguage,
  endSession,
  listSessions,
  listSignInMethods,
  type SessionRoutesContext,
  showSession,
  signInByCode,
  signInByPassword,
  signOut,
} from './session-routes.ts';
import { addSettingsRoutes, readOwnVersion } from './settings-routes.ts';

export interface AdminRoutesOptions {
  store: Store;
  tokenClient: TokenClient;
  verifier: PlatformJwtVerifier;
  plugins: readonly ServedPlugin[];
  describeSettings: () => Setting[];
  isProduction: boolean;
  /** Where plug-ins are. Without a trailing slash; may have a path. */
  publicUrl: string;
  /** Where the dashboard is: the public URL, or another origin with its path. */
  adminUrl: string;
  logger: Log;
  /** Undefined: operators sign in by password or code only. */
  oidc: OidcProvider | undefined;
  /** Aborting it ends the streams. */
  closing: AbortSignal;
  alerts: AlertsContext;
  shapes: ShapeTally;
  runs: RunsContext;
  applied: ApplyChange;
  now: () => number;
}

interface AdminContext extends AdminRoutesOptions, SessionRoutesContext {
  store: Store;
  pluginName: string;
  feed: ChangeFeed;
}

/** Creates the routes below `/admin/api`. Each change has a row in the audit. */
export function createAdminRoutes(options: AdminRoutesOptions) {
  const deps: AdminContext = {
    ...options,
    cookie: describeSessionCookie(options.adminUrl),
    passwordGate: createPasswordGate(options.now),
    operatorLimits: createOperatorLimits(options.now),
    oidcFailures: createSenderCounters(options.now),
    pluginName: namePlugins(options.plugins),
    feed: createChangeFeed(options),
  };
  const router = new Router({ prefix: '/admin/api', strict: true, sensitive: true });
  router.use((ctx, next) => refuseForeignPages(deps, ctx, next));
  router.post('/session', (ctx) => signInByCode(deps, ctx));
  router.post('/session/password', (ctx) => signInByPassword(deps, ctx));
  router.delete('/session', (ctx) => signOut(deps, ctx));
  router.get('/session/methods', (ctx) => listSignInMethods(deps, ctx));
  router.get('/session/oidc', (ctx) => leaveForProvider(deps, ctx));
  router.get('/session/oidc/callback', (ctx) => returnFromProvider(deps, ctx));
  router.get('/changes', (ctx) => openChangeStream(deps, ctx));
  // The routes below have an operator.
  router.use((ctx, next) => admitOperator(deps, ctx, next));
  router.get('/session', (ctx) => showSession(deps, ctx));
  router.post('/session/language', (ctx) => chooseLanguage(deps, ctx));
  router.get('/sessions', (ctx) => listSessions(deps, ctx));
  router.post('/sessions/:id/end', (ctx) => endSession(deps, ctx));
  addAccountRoutes(router, deps);
  // An action checks the role that it needs, and the audit has its refusals.
  addActionRoutes(router, deps);
  addAlertRoutes(router, deps);
  addRunRoutes(router, deps.runs);
  // Below, everybody only reads. What needs an owner calls requireRole itself.
  router.use(admitRole);
  addAuditRoutes(router, deps);
  addFleetRoutes(router, deps);
  addKeyRoutes(router, deps);
  addSettingsRoutes(router, deps);
  router.get('/shapes', (ctx) => listShapes(deps, ctx));
  addExportRoute(router, { ...deps, exporting: new Set() });
  const description = describeAdminApi({
    adminUrl: options.adminUrl,
    cookieName: deps.cookie.name,
    version: readOwnVersion(),
  });
  router.get('/openapi.json', (ctx) => {
    ctx.body = description;
  });
  return router;
}

async function admitOperator(deps: AdminContext, ctx: Context, next: Next): Promise<void> {
  await requireSession(deps, ctx);
  await next();
}

async function admitRole(ctx: Context, next: Next): Promise<void> {
  requireRole(ctx, isUnsafe(ctx) ? 'operator' : 'viewer');
  await next();
}

function isUnsafe({ method }: Context): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/**
 * Requires a custom header for changes, which other pages cannot send, and checks Origin and Sec-Fetch-Site, which they
 * cannot forge. Programs and old browsers send neither.
 */
async function refuseForeignPages(
  { adminUrl }: AdminContext,
  ctx: Context,
  next: Next,
): Promise<void> {
  const origin = ctx.get('Origin');
  const isForeign = origin !== '' && origin !== new URL(adminUrl).origin;
  const hasHeader = ctx.get('X-Dowel-CSRF') === '1';
  if (isForeign || !isOfOwnPage(ctx) || (isUnsafe(ctx) && !hasHeader)) {
    const message = "The request does not come from the dashboard's own pages";
    // The dashboard's page at another address, such as 127.0.0.1 for localhost, sends the header, too.
    const fix = `Open the dashboard at ${adminUrl}/admin/, or correct DOWEL_PUBLIC_URL or DOWEL_ADMIN_ORIGIN`;
    throw new ApiError('CSRF', hasHeader ? `${message}. ${fix}` : message);
  }
  await next();
}

/** With what this process has counted until now, if the database can store it. */
async function listShapes({ store, shapes }: AdminContext, ctx: Context): Promise<void> {
  await writeShapes(shapes);
  ctx.body = { shapes: await store.shapes.list() };
}

/** The identity provider sends the browser back from its own site. That request is bound to its sign-in by `state`. */
function isOfOwnPage(ctx: Context): boolean {
  const isReturn = ctx.path === '/admin/api/session/oidc/callback';
  return isReturn || ['', 'same-origin', 'none'].includes(ctx.get('Sec-Fetch-Site'));
}

async function openChangeStream(deps: AdminContext, ctx: Context): Promise<void> {
  const { feed, closing, now } = deps;
  // An open page does not extend the session.
  const session = await findSession(deps, ctx);
  streamChanges(ctx, feed, {
    lifetimeMs: session.expiresAt - now(),
    closing,
    hasSession: () => hasSession(deps, session),
  });
}
