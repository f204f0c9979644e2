/** Assembles the BFF. The middleware order, from top to bottom, is one request's life. */
import type { Store } from '@dowel/installation-store';
import { createLifecycle, type Lifecycle } from '@dowel/lifecycle';
import {
  createPlatformJwtVerifier,
  type KeyLocationMemory,
  keyOrigins,
  type PlatformJwtVerifier,
  type TrustRule,
} from '@dowel/platform-jwt';
import { defaultPlatformProfile, type Manifest, type PlatformProfile } from '@dowel/schema';
import { createTokenClient, type TokenClient, type TokenObservation } from '@dowel/token-client';
import type Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import type { Logger } from 'pino';
import { createAdminRoutes } from './dashboard/admin-routes.ts';
import type { AdminSignIn } from './dashboard/admin-sign-in.ts';
import { checkDatabase, createDatabaseState } from './database-state.ts';
import { createDriftLog } from './events/drift-log.ts';
import { createEventPaths, listEventAddresses, markEvents } from './events/event-addresses.ts';
import { createKeyLocationMemory } from './events/key-location-memory.ts';
import { createLifecycleRoutes } from './events/lifecycle-routes.ts';
import { createOwnPlugins } from './events/own-plugins.ts';
import {
  createReceptionGuard,
  defaultReceptionLimits,
  type ReceptionLimits,
} from './events/reception-guard.ts';
import { createRefusalLog } from './events/refusal-log.ts';
import {
  createStaticRoutes,
  keepCallsFromPages,
  type PageFolders,
} from './frontend/static-routes.ts';
import { answerErrors, answerFaults } from './http/answer-errors.ts';
import { createAnswerHeaders } from './http/answer-headers.ts';
import { createHealthRoutes } from './http/health-routes.ts';
import { createPluginRoutes } from './http/plugin-routes.ts';
import { logRequests, logStreamFault } from './http/request-log.ts';
import {
  createNotificationGate,
  defaultNotificationLimits,
  type NotificationLimits,
} from './platform/notification-limits.ts';

export interface AppOptions {
  store: Store;
  manifest: Manifest;
  manifestText: string;
  trustRules: readonly TrustRule[];
  publicUrl: string;
  signIn: AdminSignIn;
  /** Made by `createLogger`, which bounds every line. */
  logger: Logger;
  profile?: PlatformProfile;
  fetch?: typeof fetch;
  now?: () => number;
  receptionLimits?: ReceptionLimits;
  notificationLimits?: NotificationLimits;
  /** Hosts of tenants and keys, such as `intranet.local:8443`, that may have private addresses. */
  internalHosts?: readonly string[];
  /** Our plug-in ids, in lower case. An empty list accepts every plug-in. */
  pluginIds?: readonly string[];
  /** Accepted values of an `aud` claim. With an empty list, a JWT that has `aud` is refused. */
  audience?: readonly string[];
  /** Folders of the built pages. */
  pages: PageFolders;
  /** The path to which a proxy sends all events. Default: the manifest's paths. */
  eventPath?: string | undefined;
  /** Scopes without which an installation is refused (Spec §4.1). Default: all that are requested. */
  essentialScopes?: readonly string[] | undefined;
  /** Reverse proxies in front whose X-Forwarded-For is believed. Default 0. */
  proxyHops?: number;
}

/** A path may be a pattern, such as `/admin/api/installations/:id`. */
export interface Route {
  method: string;
  path: string;
}

export interface App {
  callback: Koa['callback'];
  /** Every route that there is. */
  routes: readonly Route[];
  /** Sends the due triggers, so that installations recover without calls. Run it every few seconds. */
  heal(): Promise<void>;
  /** Looks whether the database can store anything; `/readyz` and the log tell. Run it every second. */
  checkDatabase(): Promise<void>;
  /** `/readyz` answers 503, and the streams end, which would delay the stop. */
  announceStop(): void;
  /**
   * Resolves when no operation that could lose a token is running. Requests that wait for a token are
   * ended.
   */
  drain(): Promise<void>;
}

export function createApp(options: AppOptions): App {
  const { manifest, publicUrl, logger, proxyHops = 0 } = options;
  const context = createContext(options);
  const headers = createAnswerHeaders(publicUrl);
  const eventPaths = createEventPaths(listEventAddresses(manifest, publicUrl), options.eventPath);
  const { closing } = context;
  const calls = [
    createPluginRoutes(context),
    createAdminRoutes({ ...context, closing: closing.signal }),
  ];
  const open = [createHealthRoutes(context), createPageRoutes(options)];

  const app = new Koa({ proxy: proxyHops > 0, maxIpsCount: proxyHops });
  app.on('error', (error, ctx) => logStreamFault(logger, error, ctx));
  answerFaults(app, headers);
  app.use(setHeaders(headers));
  app.use(markEvents(eventPaths));
  app.use(logRequests(logger));
  app.use(answerErrors(logger));
  if (proxyHops === 0) app.use(warnOfUnknownProxy(logger));
  app.use(createLifecycleRoutes(context));
  for (const router of calls) useRouter(app, router);
  app.use(keepCallsFromPages);
  for (const router of open) useRouter(app, router);
  return {
    callback: () => app.callback(),
    routes: [...calls, ...open].flatMap(listRoutes),
    async heal() {
      await context.tokenClient.heal();
    },
    checkDatabase: () => checkDatabase(context),
    announceStop: () => closing.abort(),
    drain: () => drain(context),
  };
}

type AppContext = ReturnType<typeof createContext>;

/** What the routes of one app share. */
function createContext(options: AppOptions) {
  const { store, manifest, publicUrl, signIn, logger } = options;
  const { profile = defaultPlatformProfile, now = Date.now, pluginIds = [] } = options;
  const { receptionLimits = defaultReceptionLimits } = options;
  const { notificationLimits = defaultNotificationLimits } = options;
  const keyLocationMemory = createKeyLocationMemory({ store, logger });
  const tokenClient = createAppTokenClient(options, profile, now);
  return {
    store,
    manifest,
    publicUrl,
    signIn,
    logger,
    profile,
    now,
    verifier: createVerifier(options, { keyLocationMemory, now }),
    tokenClient,
    lifecycle: createAppLifecycle(options, { tokenClient, now }),
    guard: createReceptionGuard(receptionLimits, now),
    refusalLog: createRefusalLog(logger),
    notificationGate: createNotificationGate(notificationLimits),
    driftLog: createDriftLog(logger),
    ownPlugins: createOwnPlugins(pluginIds, logger),
    keys: keyLocationMemory,
    closing: new AbortController(),
    database: createDatabaseState(),
  };
}

function createVerifier(
  { trustRules, fetch, internalHosts = [], audience = [] }: AppOptions,
  { keyLocationMemory, now }: { keyLocationMemory: KeyLocationMemory; now: () => number },
): PlatformJwtVerifier {
  return createPlatformJwtVerifier({
    trustRules,
    fetch,
    allowPrivateKeyHosts: internalHosts,
    keyLocationMemory,
    audience,
    now,
  });
}

function createAppTokenClient(
  options: AppOptions,
  profile: PlatformProfile,
  now: () => number,
): TokenClient {
  return createTokenClient({
    store: options.store,
    profile,
    fetch: options.fetch,
    internalOrigins: internalOrigins(options),
    now,
    observe: logTokens(options.logger),
  });
}

function createAppLifecycle(
  { store, manifest, essentialScopes }: AppOptions,
  { tokenClient, now }: { tokenClient: TokenClient; now: () => number },
): Lifecycle {
  const requestedScopes = manifest.apiAccess?.client.scope ?? [];
  return createLifecycle({
    store,
    tokenClient,
    requestedScopes,
    essentialScopes: [...(essentialScopes ?? requestedScopes)],
    now,
  });
}

function createPageRoutes({ manifestText, publicUrl, trustRules, pages }: AppOptions) {
  return createStaticRoutes({
    manifestText,
    publicUrl,
    frameAncestors: trustRules.map(frameAncestorOf),
    keyOrigins: keyOrigins(trustRules),
    pages,
  });
}

async function drain({ lifecycle, tokenClient, keys }: AppContext): Promise<void> {
  await Promise.all([lifecycle.drain(), tokenClient.drain(), keys.drain()]);
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

function useRouter(app: Koa, router: Router): void {
  app.use(router.routes());
  app.use(router.allowedMethods());
}

function listRoutes({ stack }: Router): Route[] {
  return stack.flatMap(({ methods, path }) =>
    methods.map((method) => ({ method, path: String(path) })),
  );
}

/** Sets the headers of every answer; pages override some of them. */
function setHeaders(headers: Record<string, string>) {
  return (ctx: Context, next: Next): Promise<void> => {
    ctx.set(headers);
    return next();
  };
}

/** Behind a proxy that is not configured, all senders share one address, so one stranger limits all. */
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

/** Private addresses are refused, except a platform on this machine and the configured hosts. */
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
