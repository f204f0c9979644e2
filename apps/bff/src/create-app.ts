/** Puts the BFF together; one request's life can be read here from top to bottom. */
import { randomUUID } from 'node:crypto';
import type { Store } from '@dowel/installation-store';
import { createLifecycle } from '@dowel/lifecycle';
import {
  createGuardedFetch,
  createPlatformJwtVerifier,
  keyOrigins,
  type TrustRule,
} from '@dowel/platform-jwt';
import { defaultPlatformProfile, type Manifest, type PlatformProfile } from '@dowel/schema';
import { createTokenClient, type TokenObservation } from '@dowel/token-client';
import Koa, { type Context, type Next } from 'koa';
import type { Logger } from 'pino';
import { createAdminRoutes } from './admin-routes.ts';
import type { AdminSignIn } from './admin-sign-in.ts';
import { ApiError, toApiError } from './api-error.ts';
import { createDriftLog } from './drift-log.ts';
import { createLifecycleRoutes } from './lifecycle-routes.ts';
import { createPluginRoutes } from './plugin-routes.ts';
import {
  createReceptionGuard,
  defaultReceptionLimits,
  type ReceptionLimits,
} from './reception-guard.ts';
import { createRefusalLog } from './refusal-log.ts';
import { createStaticRoutes } from './static-routes.ts';

export interface AppOptions {
  store: Store;
  manifest: Manifest;
  manifestText: string;
  trustRules: readonly TrustRule[];
  publicUrl: string;
  signIn: AdminSignIn;
  logger: Logger;
  profile?: PlatformProfile;
  fetch?: typeof fetch;
  now?: () => number;
  receptionLimits?: ReceptionLimits;
  /** Hosts of tenants and keys, such as `intranet.local:8443`, that may have private addresses. */
  internalHosts?: readonly string[];
  /** Reverse proxies in front whose X-Forwarded-For is believed. Default 0. */
  proxyHops?: number;
}

/** Token requests have connections of their own: they never queue behind calls. */
const callLimits = { connectionsPerOrigin: 32 };

export interface App {
  callback: Koa['callback'];
  /** Sends the triggers that are due: installations heal though nobody calls. Run it every few seconds. */
  heal(): Promise<void>;
  /** Ends the streams, which would hold up a server that closes. */
  endStreams(): void;
  /** Resolves when nothing that could lose a token is under way. Requests that wait for one end. */
  drain(): Promise<void>;
}

export function createApp(options: AppOptions): App {
  const { store, manifest, manifestText, trustRules, publicUrl, signIn, logger } = options;
  const { profile = defaultPlatformProfile, internalHosts = [], now = Date.now } = options;
  const { receptionLimits = defaultReceptionLimits, proxyHops = 0 } = options;
  const guardedFetch = (limits: { connectionsPerOrigin?: number } = {}) =>
    options.fetch ?? createGuardedFetch({ internalOrigins: internalOrigins(options), ...limits });
  const verifier = createPlatformJwtVerifier({
    trustRules,
    fetch: options.fetch,
    allowPrivateKeyHosts: internalHosts,
    now,
  });
  const tokenClient = createTokenClient({
    store,
    profile,
    fetch: guardedFetch(callLimits),
    tokenFetch: guardedFetch(),
    now,
    observe: logTokens(logger),
  });
  const requestedScopes = manifest.apiAccess?.client.scope ?? [];
  const lifecycle = createLifecycle({ store, tokenClient, requestedScopes, now });
  const guard = createReceptionGuard(receptionLimits);
  const refusalLog = createRefusalLog(logger, now);
  const driftLog = createDriftLog(logger);

  const closing = new AbortController();

  const app = new Koa({ proxy: proxyHops > 0, maxIpsCount: proxyHops });
  app.on('error', (error) => logger.error({ err: error }, 'server.error'));
  app.use(logRequests(logger));
  app.use(answerErrors(logger));
  if (proxyHops === 0) app.use(warnOfUnknownProxy(logger));
  const routers = [
    createLifecycleRoutes({ verifier, lifecycle, guard, refusalLog, driftLog, logger }),
    createPluginRoutes({ store, verifier, tokenClient, profile, guard, refusalLog, now }),
    createAdminRoutes({ store, signIn, manifest, publicUrl, closing: closing.signal, now }),
    createStaticRoutes({
      manifestText,
      publicUrl,
      frameAncestors: trustRules.map(frameAncestorOf),
      keyOrigins: keyOrigins(trustRules),
    }),
  ];
  for (const router of routers) {
    app.use(router.routes());
    app.use(router.allowedMethods());
  }
  return {
    callback: () => app.callback(),
    async heal() {
      await tokenClient.heal();
    },
    endStreams: () => closing.abort(),
    async drain() {
      await Promise.all([lifecycle.drain(), tokenClient.drain()]);
    },
  };
}

const tokenLogLevels = {
  refreshed: 'info',
  refresh_failed: 'warn',
  triggered: 'warn',
  parked: 'warn',
  exchanged: 'info',
  recovered: 'info',
  unsaved: 'error',
  saved: 'warn',
} as const satisfies Record<TokenObservation['type'], string>;

function logTokens(logger: Logger) {
  return ({ type, ...details }: TokenObservation): void =>
    logger[tokenLogLevels[type]](details, `token.${type}`);
}

/** The route's pattern stands for the URL: a URL may hold a secret. */
function logRequests(logger: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    ctx.state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    await next();
    // Refused events and init JWTs have a log of their own, which a flood cannot fill.
    const isReception = ctx.path.startsWith('/lifecycle/') || ctx.path === '/api/session';
    logger[isReception && ctx.status >= 400 ? 'debug' : 'info'](
      {
        requestId,
        method: ctx.method,
        route: (ctx as { _matchedRoute?: string })._matchedRoute,
        status: ctx.status,
        durationMs: Math.round(performance.now() - startedAt),
      },
      'request',
    );
  };
}

/** Behind a proxy that is not configured every sender has one address, and strangers limit them all. */
function warnOfUnknownProxy(logger: Logger) {
  let hasWarned = false;
  return async (ctx: Context, next: Next): Promise<void> => {
    if (!hasWarned && ctx.get('X-Forwarded-For') !== '') {
      hasWarned = true;
      logger.warn('X-Forwarded-For was seen: behind a reverse proxy, set DOWEL_PROXY_HOPS');
    }
    await next();
  };
}

/** JSON on every answer. The event URLs speak the platform's `{code: number, message}`. */
function answerErrors(logger: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      if (!ctx.body) assertRouted(ctx);
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.status >= 500) logger.error({ err: error, code: error.code }, 'request.failed');
      ctx.set(error.headers);
      ctx.status = error.status;
      ctx.body = {
        code: ctx.path.startsWith('/lifecycle/') ? error.status : error.code,
        message: error.message,
      };
    }
  };
}

function assertRouted({ status, method, path }: Context): void {
  const isBareOptions = method === 'OPTIONS' && path.startsWith('/lifecycle/');
  if (status === 404) throw new ApiError('NOT_FOUND', 'There is nothing at this address');
  if (status === 405 || status === 501 || isBareOptions) {
    throw new ApiError('METHOD_NOT_ALLOWED', 'The method is not allowed here');
  }
}

/** Private addresses are refused but for a platform on this machine and the configured hosts. */
function internalOrigins({ trustRules, internalHosts = [] }: AppOptions): string[] {
  const loopback = trustRules.flatMap(({ issuer }) =>
    issuer !== '*' && issuer.scheme === 'http:' ? [`http://${issuer.host}`] : [],
  );
  return [...loopback, ...internalHosts.map((host) => `https://${host}`)];
}

function frameAncestorOf({ issuer }: TrustRule): string {
  if (issuer === '*') return '*';
  return `${issuer.scheme}//${issuer.includesSubdomains ? '*.' : ''}${issuer.host}`;
}
