/**
 * The API of the plug-in's iframe. It runs in an opaque origin, so there are no cookies: the init JWT
 * opens a session, whose bearer the page keeps in memory. Operations are named; nothing is proxied.
 */

import type { PluginSession, Store } from '@dowel/installation-store';
import { PlatformJwtError, type PlatformJwtVerifier } from '@dowel/platform-jwt';
import {
  type InitClaims,
  type Notification,
  notificationSchema,
  type PlatformProfile,
  sessionRequestSchema,
} from '@dowel/schema';
import { type TokenClient, TokenClientError } from '@dowel/token-client';
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import { createOpaqueToken, hashToken } from './opaque-token.ts';
import { readJson } from './read-body.ts';
import type { ReceptionGuard } from './reception-guard.ts';
import type { RefusalLog } from './refusal-log.ts';

const sessionLifetimeMs = 15 * 60 * 1000;

export interface PluginRoutesOptions {
  store: Store;
  verifier: PlatformJwtVerifier;
  tokenClient: TokenClient;
  profile: PlatformProfile;
  guard: ReceptionGuard;
  refusalLog: RefusalLog;
  now: () => number;
}

export function createPluginRoutes(options: PluginRoutesOptions) {
  const { store, verifier, tokenClient, profile, guard, refusalLog, now } = options;
  const router = new Router({ prefix: '/api' });
  router.use(allowAnyOrigin);
  router.options('/{*path}', answerPreflight);

  /** One answer for every refusal, so that it does not tell which tenants exist. */
  function refuseSession(ctx: Context, reason: string): never {
    const requestId = ctx.state.requestId as string;
    refusalLog.add({ event: 'session', reason, status: 403, requestId });
    throw new ApiError('SESSION_REFUSED', 'The platform page did not vouch for this user here');
  }

  async function verifyInit(ctx: Context, initJwt: string): Promise<InitClaims> {
    const turnedAway = await guard.turnAway(ctx.ip);
    if (turnedAway) throw comeAgain(turnedAway);
    try {
      const claims = await guard.verify(() => verifier.verifyInit(initJwt));
      if (claims) return claims;
    } catch (error) {
      if (!(error instanceof PlatformJwtError)) throw error;
      await guard.countRefusal(ctx.ip, error.retryable);
      if (!error.retryable) return refuseSession(ctx, error.reason);
    }
    throw comeAgain('overloaded');
  }

  router.post('/session', async (ctx) => {
    const { initJwt, instanceId } = await readJson(ctx.req, sessionRequestSchema);
    const claims = await verifyInit(ctx, initJwt);
    const tenantId = claims['ctx.tenantId'];
    const installation = await store.installations.findByInstance(claims.iss, tenantId, instanceId);
    if (!installation) return refuseSession(ctx, 'tenant_unknown');
    const sessionToken = createOpaqueToken();
    const session: PluginSession = {
      installationId: installation.id,
      generation: installation.generation,
      userId: claims['ctx.userId'],
      instanceId,
      expiresAt: now() + sessionLifetimeMs,
    };
    const isFirst = await store.sessions.createPluginSession(
      hashToken(sessionToken),
      session,
      claims.jti,
    );
    if (!isFirst) return refuseSession(ctx, 'session_replay');
    ctx.status = 201;
    ctx.body = { sessionToken, expiresAt: session.expiresAt };
  });

  async function requireSession(ctx: Context): Promise<PluginSession> {
    const [, bearer] = /^Bearer ([A-Za-z0-9_-]{1,128})$/.exec(ctx.get('Authorization')) ?? [];
    const session = bearer && (await store.sessions.findPluginSession(hashToken(bearer), now()));
    if (!session) {
      throw new ApiError('SESSION_INVALID', 'The session has ended', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    return session;
  }

  router.post('/notifications', async (ctx) => {
    const session = await requireSession(ctx);
    const notification = await readJson(ctx.req, notificationSchema);
    const installation = await store.installations.get(session.installationId);
    if (!installation) throw new ApiError('SESSION_INVALID', 'The session has ended');
    const path = profile.notificationPath(installation.pluginId, session.instanceId);
    await assertSent(await callPlatform(installation.id, path, notification));
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

/** Nothing was decided: the same init JWT may open a session later. */
function comeAgain(reason: 'rate_limited' | 'overloaded'): ApiError {
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

/** The platform's own text goes no further: it may hold what is not for this user. */
async function assertSent(response: Response): Promise<void> {
  await response.body?.cancel();
  if (response.ok) return;
  const [code, message] = refusals[response.status] ?? [
    'PLATFORM_FAILED',
    `The platform answered with status ${response.status}`,
  ];
  throw new ApiError(code, message);
}

/** No cookie is ever read here, so any origin may call; the iframe's own is `null`. */
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
