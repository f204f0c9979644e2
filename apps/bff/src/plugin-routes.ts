/**
 * The API for the plug-in's iframe. The iframe has an opaque origin and no cookies: the init JWT opens a
 * session, whose bearer token the page keeps in memory. Each operation has its own route; nothing is
 * proxied.
 */

import type { FoundPluginSession, PluginSession, Store } from '@dowel/installation-store';
import { PlatformJwtError, type PlatformJwtVerifier } from '@dowel/platform-jwt';
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
import { ApiError, type ApiErrorCode } from './api-error.ts';
import { createOpaqueToken, hashToken } from './opaque-token.ts';
import type { OwnPlugins } from './own-plugins.ts';
import { readJson, unreadableReason } from './read-body.ts';
import {
  countRefusal,
  findSender,
  isLimited,
  isOverloaded,
  type ReceptionGuard,
} from './reception-guard.ts';
import type { RefusalLog } from './refusal-log.ts';
import { readRetryAfter } from './retry-after.ts';

const sessionLifetimeMs = 15 * 60 * 1000;

export interface PluginRoutesOptions {
  store: Store;
  verifier: PlatformJwtVerifier;
  tokenClient: TokenClient;
  ownPlugins: OwnPlugins;
  profile: PlatformProfile;
  guard: ReceptionGuard;
  refusalLog: RefusalLog;
  now: () => number;
}

export function createPluginRoutes(options: PluginRoutesOptions) {
  const { store, verifier, tokenClient, ownPlugins, profile, guard, refusalLog, now } = options;
  const router = new Router({ prefix: '/api', strict: true, sensitive: true });
  router.use(allowAnyOrigin);
  router.options(['/session', '/notifications'], answerPreflight);

  /** One answer for every refusal, so that it does not reveal which tenants exist. */
  function refuseSession(ctx: Context, reason: string): never {
    record(ctx, reason, 403);
    throw new ApiError('SESSION_REFUSED', 'The platform page did not vouch for this user here');
  }

  function record(ctx: Context, reason: string, status: number): void {
    refusalLog.add(ctx, { event: 'session', reason, status });
  }

  /** Nothing was decided: the same init JWT may open a session later. */
  function shed(ctx: Context, reason: 'rate_limited' | 'overloaded'): never {
    const error = retryLater(reason);
    record(ctx, reason, error.status);
    throw error;
  }

  async function readSessionRequest(ctx: Context): Promise<SessionRequest> {
    try {
      return await readJson(ctx.req, sessionRequestSchema);
    } catch (error) {
      if (error instanceof ApiError) record(ctx, unreadableReason(error), error.status);
      throw error;
    }
  }

  async function verifyInit(ctx: Context, initJwt: string): Promise<InitClaims> {
    const sender = findSender(guard, ctx.ip);
    if (isOverloaded(guard, sender)) return shed(ctx, 'overloaded');
    try {
      return await verifier.verifyInit(initJwt, { sender });
    } catch (error) {
      if (!(error instanceof PlatformJwtError)) throw error;
      if (isLimited(guard, sender)) return shed(ctx, 'rate_limited');
      if (error.retryable) return shed(ctx, 'overloaded');
      countRefusal(guard, sender);
      return refuseSession(ctx, error.reason);
    }
  }

  router.post('/session', async (ctx) => {
    const { initJwt, instanceId } = await readSessionRequest(ctx);
    const claims = await verifyInit(ctx, initJwt);
    const tenantId = claims['ctx.tenantId'];
    if (!ownPlugins.admitsInit(claims.pluginId, { issuer: claims.iss, tenantId })) {
      return refuseSession(ctx, 'plugin_not_ours');
    }
    const found = await store.installations.findByInstance(claims.iss, tenantId, instanceId);
    if (found.outcome !== 'found') return refuseSession(ctx, found.outcome);
    const { installation } = found;
    if (!ownPlugins.has(installation.pluginId)) return refuseSession(ctx, 'plugin_not_ours');
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
    if (outcome === 'over') return refuseSession(ctx, 'instance_unknown');
    if (outcome === 'replayed') return refuseSession(ctx, 'session_replay');
    ctx.status = 201;
    ctx.body = { sessionToken, expiresAt: session.expiresAt };
  });

  /** Asks the database each time, so that a session ends on every process at once. */
  async function requireSession(ctx: Context): Promise<FoundPluginSession> {
    const [, bearer] = /^Bearer ([A-Za-z0-9_-]{1,128})$/.exec(ctx.get('Authorization')) ?? [];
    const session = bearer && (await store.sessions.findPluginSession(hashToken(bearer), now()));
    if (!session || !ownPlugins.has(session.pluginId)) {
      throw new ApiError('SESSION_INVALID', 'The session has ended', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    return session;
  }

  router.post('/notifications', async (ctx) => {
    await requireSession(ctx);
    const notification = await readJson(ctx.req, notificationSchema);
    // Checked again: the session may have ended while a slow body was read.
    const { installationId, pluginId, instanceId } = await requireSession(ctx);
    const path = profile.notificationPath(pluginId, instanceId);
    assertSent(await callPlatform(installationId, path, notification), now());
    ctx.status = 201;
    ctx.body = {};
  });

  async function callPlatform(id: string, path: string, body: Notification): Promise<Response> {
    try {
      return await tokenClient.fetch(id, path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
      });
    } catch (cause) {
      if (cause instanceof TokenClientError) throw cause;
      throw new ApiError('PLATFORM_FAILED', 'The platform could not be reached', { cause });
    }
  }

  return router;
}

function retryLater(reason: 'rate_limited' | 'overloaded'): ApiError {
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
