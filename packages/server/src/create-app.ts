/** Assembles what serves requests: one context for all plug-ins, one for each of them, and the routes. */
import type { Store } from '@dowel/installation-store';
import { createLifecycle } from '@dowel/lifecycle';
import {
  createPlatformJwtVerifier,
  type KeyLocationMemory,
  keyOrigins,
  type PlatformJwtVerifier,
  type TrustRule,
} from '@dowel/platform-jwt';
import { defaultPlatformProfile, type PlatformProfile } from '@dowel/schema';
import { createTokenClient, type TokenClient, type TokenObservation } from '@dowel/token-client';
import type Koa from 'koa';
import { createAdminRoutes } from './dashboard/admin-routes.ts';
import type { AdminSignIn } from './dashboard/admin-sign-in.ts';
import { createDashboardPages } from './dashboard/dashboard-pages.ts';
import { checkDatabase, createDatabaseState } from './database-state.ts';
import { createDriftLog } from './events/drift-log.ts';
import { createEventPaths } from './events/event-addresses.ts';
import { createKeyLocationMemory } from './events/key-location-memory.ts';
import { createOwnPlugins } from './events/own-plugins.ts';
import {
  createReceptionGuard,
  defaultReceptionLimits,
  type ReceptionLimits,
} from './events/reception-guard.ts';
import { createRefusalLog } from './events/refusal-log.ts';
import { createFrontendRoutes } from './frontend/frontend-routes.ts';
import { askBeforeInstall } from './hooks/ask-before-install.ts';
import { createHookDelivery, type HookDeliverer } from './hooks/deliver-hooks.ts';
import type { HooksByPlugin } from './hooks/hooks.ts';
import { createOutbox } from './hooks/outbox.ts';
import { type HookPolicy, readHookPolicy } from './hooks/policy.ts';
import { createHealthRoutes } from './http/health-routes.ts';
import { createKoaApp, listRoutes, type Route } from './http/koa-app.ts';
import { createOpenApiRoutes } from './http/openapi-routes.ts';
import { createPublicRouter, createUserRouter } from './http/own-routers.ts';
import { createPluginRoutes } from './http/plugin-routes.ts';
import type { Log } from './log/log.ts';
import type { Observation, Observe } from './observation.ts';
import { createCallGate } from './operations/call-limits.ts';
import { createNotification } from './operations/create-notification.ts';
import { readOperations } from './operations/operation-table.ts';
import { callPlatform, type PlatformInit } from './platform/call-platform.ts';
import {
  defaultNotificationLimits,
  type NotificationLimits,
} from './platform/notification-limits.ts';
import type { PlatformPath } from './platform/platform-path.ts';
import type { ServerPlatformContext } from './platform/server-platform.ts';
import { prefixOf, type ServedPlugin } from './plugins.ts';

export interface AppOptions {
  store: Store;
  plugins: readonly ServedPlugin[];
  trustRules: readonly TrustRule[];
  /** The URL that browsers and the platform see. Its path is the base path. */
  publicUrl: string;
  logger: Log;
  profile?: PlatformProfile;
  fetch?: typeof fetch | undefined;
  /** Epoch milliseconds. */
  now?: () => number;
  receptionLimits?: ReceptionLimits;
  notificationLimits?: NotificationLimits;
  /** Hosts of tenants and keys, such as `intranet.local:8443`, that may have private addresses. */
  internalHosts?: readonly string[];
  /** Our plug-in ids, in lower case. An empty list accepts every plug-in. */
  pluginIds?: readonly string[];
  /** Accepted values of an `aud` claim. With an empty list, a JWT that has `aud` is refused. */
  audience?: readonly string[];
  /** Undefined: there is no dashboard. */
  dashboard?: { directory: string; signIn: AdminSignIn } | undefined;
  /** The path to which a proxy sends all events. Default: the manifest's paths. */
  eventPath?: string | undefined;
  /** Scopes without which an installation is refused (Spec §4.1). Default: all that are requested. */
  essentialScopes?: readonly string[] | undefined;
  /** Reverse proxies in front whose X-Forwarded-For is believed. Default 0. */
  proxyHops?: number;
  /** What is left out has its default. */
  hookPolicy?: Partial<HookPolicy> | undefined;
  /** Hears what happens. */
  observe?: Observe;
}

export interface App {
  callback: Koa['callback'];
  /** Every route that there is. */
  routes: readonly Route[];
  /** For calls that no user asked for. */
  platformContext: ServerPlatformContext;
  /** Calls the plug-ins' hooks, once it is started. */
  hooks: HookDeliverer;
  /** Whether `/readyz` answers 200. */
  isReady(): boolean;
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
  const shared = createContext(options);
  const receivers = options.plugins.map((plugin) =>
    createPluginContext(options, { shared, plugin }),
  );
  const routes = {
    calls: [
      ...receivers.map(createPluginRoutes),
      ...receivers.map(createUserRouter),
      ...createDashboardCalls(options, shared),
    ],
    open: [
      createHealthRoutes(shared),
      ...receivers.map(createOpenApiRoutes),
      ...receivers.map(createPublicRouter),
      ...createPageRoutes(options),
    ],
  };
  const { publicUrl, logger, proxyHops = 0 } = options;
  const koa = createKoaApp({ publicUrl, logger, proxyHops, receivers, ...routes });
  const { closing, database, tokenClient, keys } = shared;
  const hooks = createAppHooks(options, tokenClient);
  return {
    callback: () => koa.callback(),
    routes: listRoutes(routes),
    platformContext: shared,
    hooks,
    isReady: () => !closing.signal.aborted && database.isAvailable,
    async heal() {
      await tokenClient.heal();
    },
    checkDatabase: () => checkDatabase(shared),
    announceStop: () => closing.abort(),
    async drain() {
      const lifecycles = receivers.map(({ lifecycle }) => lifecycle.drain());
      await Promise.all([hooks.drain(), ...lifecycles, tokenClient.drain(), keys.drain()]);
    },
  };
}

type SharedContext = ReturnType<typeof createContext>;

/** What all plug-ins share. */
function createContext(options: AppOptions) {
  const { store, publicUrl, logger, pluginIds = [] } = options;
  const policy = readHookPolicy(options.hookPolicy);
  const { profile = defaultPlatformProfile, now = Date.now, observe = () => {} } = options;
  const { receptionLimits = defaultReceptionLimits } = options;
  const keys = createKeyLocationMemory({ store, logger });
  return {
    store,
    publicUrl,
    logger,
    profile,
    now,
    observe,
    verifier: createVerifier(options, { keyLocationMemory: keys, now }),
    hookPolicy: policy,
    tokenClient: createAppTokenClient(options, { profile, now, policy }),
    guard: createReceptionGuard(receptionLimits, now),
    refusalLog: createRefusalLog(logger),
    gate: createCallGate(),
    driftLog: createDriftLog(logger),
    ownPlugins: createOwnPlugins(pluginIds, logger),
    keys,
    closing: new AbortController(),
    database: createDatabaseState(),
  };
}

/** What belongs to one plug-in. Its events, sessions and calls use no other plug-in's context. */
function createPluginContext(
  { eventPath, essentialScopes, notificationLimits = defaultNotificationLimits }: AppOptions,
  { shared, plugin }: { shared: SharedContext; plugin: ServedPlugin },
) {
  const { store, tokenClient, publicUrl, now, logger } = shared;
  const { name, manifest, hooks = {} } = plugin;
  const requestedScopes = manifest.apiAccess?.client.scope ?? [];
  return {
    ...shared,
    plugin,
    ownRoutes: plugin.ownRoutes,
    prefix: prefixOf(plugin),
    operations: readOperations(plugin.operations ?? {}, {
      requestedScopes,
      settings: new Map([[createNotification, notificationLimits]]),
    }),
    eventPaths: createEventPaths(plugin.addresses, { eventPath, basePath: basePathOf(publicUrl) }),
    lifecycle: createLifecycle({
      store,
      tokenClient,
      requestedScopes,
      plugin: name,
      usableAt: manifest.apiAccess ? 'tokens' : 'install',
      applied: createOutbox({ [name]: hooks }),
      beforeInstall: askBeforeInstall(hooks, logger),
      beforeInstallMs: shared.hookPolicy.beforeInstallMs,
      essentialScopes: requestedScopes.filter((scope) => essentialScopes?.includes(scope) ?? true),
      now,
    }),
  };
}

/** By the names of the plug-ins. */
function hooksOf({ plugins }: AppOptions): HooksByPlugin {
  return Object.fromEntries(plugins.map(({ name, hooks = {} }) => [name, hooks]));
}

function createAppHooks(options: AppOptions, tokenClient: TokenClient): HookDeliverer {
  const { store, logger: log, hookPolicy = {}, observe } = options;
  return createHookDelivery({
    hooks: hooksOf(options),
    store,
    policy: hookPolicy,
    log,
    platformOf: ({ id: installationId, generation }, signal) => ({
      fetch: (path: string | PlatformPath, init: PlatformInit = {}) =>
        callPlatform(
          tokenClient,
          { installationId, generation },
          { path, init, scope: { signal } },
        ),
    }),
    ...(observe && { observe }),
  });
}

/** '' or `/base`. */
function basePathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '');
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
  { profile, now, policy }: { profile: PlatformProfile; now: () => number; policy: HookPolicy },
): TokenClient {
  const hooks = hooksOf(options);
  const isTold = Object.values(hooks).some(({ broken, recovered }) => broken ?? recovered);
  return createTokenClient({
    store: options.store,
    profile,
    policy: { brokenAfterMs: policy.brokenAfterMs },
    // Nobody looks for broken installations if nobody is told.
    ...(isTold && { applied: createOutbox(hooks) }),
    fetch: options.fetch,
    internalOrigins: internalOrigins(options),
    now,
    observe: reportTokens(options.logger, options.observe),
  });
}

function createDashboardCalls(
  { dashboard, plugins }: AppOptions,
  { store, publicUrl, logger, closing, now }: SharedContext,
) {
  if (!dashboard) return [];
  const manifests = plugins.map(({ manifest }) => manifest);
  const { signIn } = dashboard;
  return [
    createAdminRoutes({
      store,
      signIn,
      manifests,
      publicUrl,
      logger,
      closing: closing.signal,
      now,
    }),
  ];
}

function createPageRoutes({ plugins, publicUrl, trustRules, dashboard }: AppOptions) {
  const frameAncestors = trustRules.map(frameAncestorOf);
  const ofPlugins = plugins.map((plugin) =>
    createFrontendRoutes({
      prefix: prefixOf(plugin),
      manifestText: plugin.manifestText,
      publicUrl,
      frameAncestors,
      keyOrigins: keyOrigins(trustRules),
      directory: plugin.frontend?.directory,
    }),
  );
  if (!dashboard) return ofPlugins;
  const { directory } = dashboard;
  return [...ofPlugins, createDashboardPages({ directory, basePath: basePathOf(publicUrl) })];
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

function reportTokens(logger: Log, observe: Observe = () => {}) {
  return (observation: TokenObservation): void => {
    const { type, ...details } = observation;
    logger[tokenLogLevels[type]](details, `token.${type}`);
    observe({ ...observation, type: `token.${type}` } as Observation);
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
