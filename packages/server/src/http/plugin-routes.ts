/**
 * The API for the plug-in's iframe. The iframe has an opaque origin and no cookies: the init JWT opens a
 * session, whose bearer token the page keeps in memory. Each operation has its own route; nothing is
 * proxied.
 */

import type {
  FoundPluginSession,
  Installation,
  PluginSession,
  Store,
} from '@dowel/installation-store';
import {
  PlatformJwtError,
  type PlatformJwtReason,
  type PlatformJwtVerifier,
} from '@dowel/platform-jwt';
import {
  type InitClaims,
  type Notification,
  notificationSchema,
  type PlatformProfile,
  type SessionRequest,
  sessionRequestSchema,
} from '@dowel/schema';
import { type TokenClient, TokenClientError } from '@dowel/token-client';
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import { ApiError, type ApiErrorCode } from '../errors.ts';
import type { OwnPlugins } from '../events/own-plugins.ts';
import {
  countRefusal,
  findSender,
  isLimited,
  OverloadError,
  type OverloadReason,
  type ReceptionGuard,
  whileDeciding,
  whileVerifying,
} from '../events/reception-guard.ts';
import type { RefusalLog } from '../events/refusal-log.ts';
import { type NotificationGate, takePlace } from '../platform/notification-limits.ts';
import { readRetryAfter } from '../platform/retry-after.ts';
import { createOpaqueToken, hashToken } from '../sessions/opaque-token.ts';
import { readJson, unreadableReason } from './read-body.ts';

const sessionLifetimeMs = 15 * 60 * 1000;

export interface PluginRoutesOptions {
  store: Store;
  verifier: PlatformJwtVerifier;
  tokenClient: TokenClient;
  ownPlugins: OwnPlugins;
  profile: PlatformProfile;
  guard: ReceptionGuard;
  refusalLog: RefusalLog;
  notificationGate: NotificationGate;
  now: () => number;
}

export function createPluginRoutes(deps: PluginRoutesOptions) {
  const router = new Router({ prefix: '/api', strict: true, sensitive: true });
  router.use(allowAnyOrigin);
  router.options(['/session', '/notifications'], answerPreflight);
  router.post('/session', (ctx) => openSession(deps, ctx));
  router.post('/notifications', (ctx) => sendNotification(deps, ctx));
  return router;
}

async function openSession(deps: PluginRoutesOptions, ctx: Context): Promise<void> {
  const { initJwt, instanceId } = await readSessionRequest(deps, ctx);
  const claims = await verifyInit(deps, ctx, initJwt);
  await whileDeciding(deps.guard, () => decideSession(deps, ctx, { claims, instanceId }));
}

async function decideSession(
  deps: PluginRoutesOptions,
  ctx: Context,
  { claims, instanceId }: { claims: InitClaims; instanceId: string },
): Promise<void> {
  const { store, now } = deps;
  const installation = await findInstallation(deps, ctx, { claims, instanceId });
  const sessionToken = createOpaqueToken();
  const session: PluginSession = {
    installationId: installation.id,
    generation: installation.generation,
    userId: claims['ctx.userId'],
    instanceId,
    expiresAt: now() + sessionLifetimeMs,
  };
  const outcome = await store.transaction(({ sessions }) =>
    sessions.createPluginSession(hashToken(sessionToken), session, claims.jti),
  );
  // The instance or the installation has ended since it was found.
  if (outcome === 'over') return refuseSession(deps, ctx, 'instance_unknown');
  if (outcome === 'replayed') return refuseSession(deps, ctx, 'session_replay');
  ctx.status = 201;
  ctx.body = { sessionToken, expiresAt: session.expiresAt };
}

async function readSessionRequest(
  deps: PluginRoutesOptions,
  ctx: Context,
): Promise<SessionRequest> {
  try {
    return await readJson(ctx.req, sessionRequestSchema);
  } catch (error) {
    if (error instanceof ApiError) {
      const { status } = error;
      record(deps, ctx, { reason: unreadableReason(error), status });
    }
    throw error;
  }
}

async function verifyInit(
  deps: PluginRoutesOptions,
  ctx: Context,
  initJwt: string,
): Promise<InitClaims> {
  const { verifier, guard } = deps;
  const sender = findSender(guard, ctx.ip);
  try {
    return await whileVerifying(guard, sender, () => verifier.verifyInit(initJwt, { sender }));
  } catch (error) {
    if (error instanceof OverloadError) return shed(deps, ctx, error.reason);
    if (!(error instanceof PlatformJwtError)) throw error;
    if (isLimited(guard, sender)) return shed(deps, ctx, 'rate_limited');
    if (error.retryable) return shed(deps, ctx, error.reason);
    countRefusal(guard, sender);
    return refuseSession(deps, ctx, error.reason);
  }
}

/** The installation of the instance, if both are ours. Otherwise the session is refused. */
async function findInstallation(
  deps: PluginRoutesOptions,
  ctx: Context,
  { claims, instanceId }: { claims: InitClaims; instanceId: string },
): Promise<Installation> {
  const { store, ownPlugins } = deps;
  const { iss: issuer, pluginId, 'ctx.tenantId': tenantId } = claims;
  if (!ownPlugins.admitsInit(pluginId, { issuer, tenantId })) {
    return refuseSession(deps, ctx, 'plugin_not_ours');
  }
  const found = await store.installations.findByInstance(issuer, tenantId, instanceId);
  if (found.outcome !== 'found') return refuseSession(deps, ctx, found.outcome);
  const { installation } = found;
  if (!ownPlugins.has(installation.pluginId)) return refuseSession(deps, ctx, 'plugin_not_ours');
  return installation;
}

/** One answer for every refusal, so that it does not reveal which tenants exist. */
function refuseSession(deps: PluginRoutesOptions, ctx: Context, reason: string): never {
  record(deps, ctx, { reason, status: 403 });
  throw new ApiError('SESSION_REFUSED', 'The platform page did not vouch for this user here');
}

/** Nothing was decided: the same init JWT may open a session later. */
function shed(
  deps: PluginRoutesOptions,
  ctx: Context,
  reason: 'rate_limited' | OverloadReason | PlatformJwtReason,
): never {
  const error = retryLater(reason);
  record(deps, ctx, { reason, status: error.status });
  throw error;
}

function record(
  { refusalLog }: PluginRoutesOptions,
  ctx: Context,
  refused: { reason: string; status: number },
): void {
  refusalLog.add(ctx, { event: 'session', ...refused });
}

async function sendNotification(deps: PluginRoutesOptions, ctx: Context): Promise<void> {
  limitNotifications(deps, await requireSession(deps, ctx));
  const notification = await readJson(ctx.req, notificationSchema);
  // Checked again: the session may have ended while a slow body was read.
  const { installationId, pluginId, instanceId } = await requireSession(deps, ctx);
  const path = deps.profile.notificationPath(pluginId, instanceId);
  const response = await callPlatform(deps.tokenClient, installationId, { path, notification });
  assertSent(response, deps.now());
  ctx.status = 201;
  ctx.body = {};
}

/** Before the body is read, so that a refused call costs little. */
function limitNotifications(
  { notificationGate }: PluginRoutesOptions,
  session: FoundPluginSession,
): void {
  const retryAfterSeconds = takePlace(notificationGate, session);
  if (retryAfterSeconds === undefined) return;
  throw new ApiError('RATE_LIMITED', 'Too many notifications were sent in a short time', {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

/** Asks the database each time, so that a session ends on every process at once. */
async function requireSession(
  { store, ownPlugins, now }: PluginRoutesOptions,
  ctx: Context,
): Promise<FoundPluginSession> {
  const [, bearer] = /^Bearer ([A-Za-z0-9_-]{1,128})$/.exec(ctx.get('Authorization')) ?? [];
  const session = bearer && (await store.sessions.findPluginSession(hashToken(bearer), now()));
  if (!session || !ownPlugins.has(session.pluginId)) {
    throw new ApiError('SESSION_INVALID', 'The session has ended', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  return session;
}

async function callPlatform(
  tokenClient: TokenClient,
  installationId: string,
  { path, notification }: { path: string; notification: Notification },
): Promise<Response> {
  try {
    return await tokenClient.fetch(installationId, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(notification),
    });
  } catch (cause) {
    if (cause instanceof TokenClientError) throw cause;
    throw new ApiError('PLATFORM_FAILED', 'The platform could not be reached', { cause });
  }
}

function retryLater(reason: string): ApiError {
  const isLimited = reason === 'rate_limited';
  return new ApiError(isLimited ? 'TOO_MANY_ATTEMPTS' : 'OVERLOADED', 'Try again later', {
    headers: { 'Retry-After': isLimited ? '60' : '10' },
  });
}

const refusals: Record<number, [ApiErrorCode, string]> = {
  400: ['NOTIFICATION_REFUSED', 'The platform does not know this recipient or refuses the text'],
  403: [
    'SCOPE_MISSING',
    'The plug-in may not send notifications here: plugin:notify is not granted',
  ],
  404: ['FEATURE_NOT_AVAILABLE', 'Notifications are switched off on this platform'],
};

/** The platform's own text is not passed on: it may not be meant for this user. */
function assertSent(response: Response, now: number): void {
  // Not awaited: the answer is decided, and an endless body must not delay it.
  response.body?.cancel().catch(() => undefined);
  if (response.ok) return;
  const { status } = response;
  const retryAfter = response.headers.get('retry-after');
  if (status === 429 || (status === 503 && retryAfter !== null)) {
    const code = status === 429 ? 'PLATFORM_LIMITED' : 'PLATFORM_BUSY';
    throw new ApiError(code, 'The platform takes no more calls for now', {
      headers: { 'Retry-After': String(readRetryAfter(retryAfter, now)) },
    });
  }
  const [code, message] = refusals[status] ?? [
    'PLATFORM_FAILED',
    `The platform answered with status ${status}`,
  ];
  throw new ApiError(code, message);
}

/** No cookie is read here, so any origin may call. The iframe's origin is `null`. */
export async function allowAnyOrigin(ctx: Context, next: Next): Promise<void> {
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.set('Access-Control-Expose-Headers', 'Retry-After');
  await next();
}

function answerPreflight(ctx: Context): void {
  ctx.set('Access-Control-Allow-Methods', 'POST');
  ctx.set('Access-Control-Allow-Headers', 'Authorization, Content-Type');
  ctx.set('Access-Control-Max-Age', '600');
  ctx.status = 204;
}
