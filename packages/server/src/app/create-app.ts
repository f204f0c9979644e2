/** Assembles what serves requests: one context for all plug-ins, one for each of them, and the routes. */
import { createGuardedFetch } from '@dowel/http';
import { createLifecycle } from '@dowel/lifecycle';
import { keyOrigins, shareKeys } from '@dowel/platform-jwt';
import type Koa from 'koa';
import { drainRuns, type RunsContext, workOnNext } from '../actions/runs.ts';
import { checkAlerts } from '../alerts/check-alerts.ts';
import { deliverAlerts, drainAlerts } from '../alerts/deliver-alerts.ts';
import { canServe, checkDatabase } from '../base/database-state.ts';
import { drainShapes, writeShapes } from '../base/shape-tally.ts';
import { createAdminRoutes } from '../dashboard/admin-routes.ts';
import { createDashboardPages } from '../dashboard/dashboard-pages.ts';
import { createOidcProvider, type OidcProvider } from '../dashboard/oidc-provider.ts';
import type { OidcSettings } from '../dashboard/oidc-settings.ts';
import { drainDeliveries, writeDeliveries } from '../events/delivery-tally.ts';
import { createEventPaths } from '../events/event-addresses.ts';
import { createFrontendRoutes } from '../frontend/frontend-routes.ts';
import { askBeforeInstall } from '../hooks/ask-before-install.ts';
import { createHookDelivery, type HookDeliverer } from '../hooks/deliver-hooks.ts';
import { createOutbox } from '../hooks/outbox.ts';
import { createHealthRoutes } from '../http/health-routes.ts';
import { createKoaApp, listRoutes, type Route } from '../http/koa-app.ts';
import { createOpenApiRoutes } from '../http/openapi-routes.ts';
import { createPublicRouter, createUserRouter } from '../http/own-routers.ts';
import { bindLog } from '../log/bind-log.ts';
import { readOperations } from '../operations/operation-table.ts';
import { bindPlatform } from '../platform/call-platform.ts';
import type { NotificationLimits } from '../platform/notification-limits.ts';
import type { NotifyContext } from '../platform/notify.ts';
import { prefixOf, type ServedPlugin } from '../served-plugin.ts';
import type { Configuration } from '../settings/read-configuration.ts';
import {
  type AppOptions,
  createSharedContext,
  hooksOf,
  internalOrigins,
  type SharedContext,
} from './app-context.ts';
import { leaveCalls, reviewCalls } from './call-reporter.ts';
import { drainSamples, recordSample } from './fleet-samples.ts';

export interface App {
  callback: Koa['callback'];
  /** All routes. */
  routes: readonly Route[];
  /** The context of calls that no user asked for. */
  platformContext: NotifyContext;
  /** Calls the plug-ins' hooks, once it is started. */
  hooks: HookDeliverer;
  /** Whether `/readyz` answers 200. */
  isReady(): boolean;
  /** Aborted by `announceStop`. */
  stopping: AbortSignal;
  /** Sends the due triggers, so that installations recover without calls. Run it every few seconds. */
  heal(): Promise<void>;
  /** Checks that the database can store data, for `/readyz` and the log. Run it every second. */
  checkDatabase(): Promise<void>;
  /** Stores what was counted for the fleet's history. Run it every few seconds. */
  recordSample(): Promise<void>;
  /** Stores what calls met. Run it every ten seconds. */
  reviewCalls(): Promise<void>;
  /** Stores the deliveries of events, and counts of refusals. Run it every second. */
  writeDeliveries(): Promise<void>;
  /** Stores the counts of shapes. Run it every few seconds. */
  writeShapes(): Promise<void>;
  /** Evaluates the rules of alerts. Run it every few seconds. */
  checkAlerts(): Promise<void>;
  /** Sends the messages of alerts that are due. Run it every few seconds. @returns the number of attempts. */
  deliverAlerts(): Promise<number>;
  /** Starts no more messages and evaluations. Those under way have `graceMs`. */
  drainAlerts(graceMs: number): Promise<void>;
  /** Continues a run of actions whose process has ended. Run it every few seconds. */
  resumeRun(): Promise<void>;
  /** From now on `/readyz` answers 503. Ends the streams, which would delay the stop, and releases runs of actions. */
  announceStop(): void;
  /** Ends the waits for tokens, after renewals under way or a few seconds. Requests that waited are answered. */
  endWaits(): Promise<void>;
  /**
   * Resolves when no operation that could lose a token is running. Requests that wait for a token are
   * ended, and the last deliveries are stored.
   */
  drain(): Promise<void>;
}

/** Assembles the app. Does no I/O; nothing runs until its functions are called. */
export function createApp(options: AppOptions): App {
  const shared = createSharedContext(options);
  const runs: RunsContext = { ...shared, closing: shared.closing.signal, working: new Set() };
  const receivers = options.plugins.map((plugin) =>
    createPluginContext(options, { shared, plugin }),
  );
  const routes = {
    calls: [
      ...receivers.map(createUserRouter),
      ...createDashboardCalls(options, { ...shared, runs }),
    ],
    open: [
      createHealthRoutes(shared),
      ...receivers.map(createOpenApiRoutes),
      ...receivers.map(createPublicRouter),
      ...createPageRoutes(options),
    ],
  };
  const { publicUrl, adminUrl, proxyHops } = options.configuration;
  const koa = createKoaApp({
    publicUrl,
    ownAdminUrl: options.options.dashboard && adminUrl !== publicUrl ? adminUrl : undefined,
    logger: options.logger,
    proxyHops,
    receivers,
    ...routes,
  });
  const { closing, database, tokenClient, keys, deliveries, shapes } = shared;
  const hooks = createAppHooks(options, shared);
  return {
    callback: () => koa.callback(),
    routes: listRoutes({ receivers, ...routes }),
    platformContext: shared,
    hooks,
    isReady: () => !closing.signal.aborted && canServe(database, shared.withoutDatabaseMs),
    stopping: closing.signal,
    async heal() {
      await tokenClient.heal();
    },
    checkDatabase: () => checkDatabase(shared),
    recordSample: () => recordSample(shared),
    reviewCalls: () => reviewCalls(shared),
    writeDeliveries: () => writeDeliveries(deliveries),
    writeShapes: () => writeShapes(shapes),
    checkAlerts: () => checkAlerts(shared.alerts),
    deliverAlerts: () => deliverAlerts(shared.alerts),
    drainAlerts: (graceMs) => drainAlerts(shared.alerts, graceMs),
    resumeRun: () => workOnNext(runs),
    announceStop: () => closing.abort(),
    endWaits: () => tokenClient.drain(),
    async drain() {
      const lifecycles = receivers.map(({ lifecycle }) => lifecycle.drain());
      await Promise.all([...lifecycles, tokenClient.drain(), keys.drain(), drainRuns(runs)]);
      await drainTallies(shared);
    },
  };
}

/** Stores what was counted last. */
async function drainTallies(shared: SharedContext): Promise<void> {
  const { deliveries, shapes } = shared;
  const tallies = [drainSamples(shared), drainDeliveries(deliveries), drainShapes(shapes)];
  await Promise.all([...tallies, leaveCalls(shared)]);
}

/** Creates the context of one plug-in. Its events, sessions and calls use no other plug-in's context. */
function createPluginContext(
  { configuration }: AppOptions,
  { shared, plugin }: { shared: SharedContext; plugin: ServedPlugin },
) {
  const { eventPath, essentialScopes, trust, limits, basePath } = configuration;
  const notificationLimits = notificationLimitsOf(limits);
  const { store, tokenClient, apiOrigins, now } = shared;
  const { name, manifest, hooks = {} } = plugin;
  const logger = name === '' ? shared.logger : bindLog(shared.logger, { plugin: name });
  const requestedScopes = manifest.apiAccess?.client.scope ?? [];
  return {
    ...shared,
    logger,
    plugin,
    ownRoutes: plugin.ownRoutes,
    prefix: prefixOf(plugin),
    notificationLimits,
    operations: readOperations(plugin.operations ?? {}, {
      requestedScopes,
      notificationLimits,
    }),
    eventPaths: createEventPaths(plugin.addresses, { eventPath, basePath }),
    lifecycle: createLifecycle({
      store,
      tokenClient,
      requestedScopes,
      apiOrigins,
      plugin: name,
      isSamePlatform: (issuer, other) => shareKeys(trust, issuer, other),
      usableAt: manifest.apiAccess ? 'tokens' : 'install',
      applied: createOutbox({ [name]: hooks }),
      beforeInstall: askBeforeInstall(hooks, logger),
      beforeInstallMs: shared.hookPolicy.beforeInstallMs,
      exchangesPerMinute: limits.exchangesPerInstallation,
      essentialScopes: requestedScopes.filter((scope) => essentialScopes?.includes(scope) ?? true),
      now,
    }),
  };
}

function notificationLimitsOf(limits: Configuration['limits']): NotificationLimits {
  return {
    perSessionPerMinute: limits.notificationsPerSession,
    perUserPerMinute: limits.notificationsPerUser,
    perTenantPerMinute: limits.notificationsPerTenant,
    perProcessPerMinute: limits.notificationsPerProcess,
  };
}

function createAppHooks(options: AppOptions, shared: SharedContext): HookDeliverer {
  const { store, hookPolicy, logger, observe } = shared;
  return createHookDelivery({
    hooks: hooksOf(options.plugins),
    store,
    policy: hookPolicy,
    log: logger,
    observe,
    platformOf: ({ id: installationId, generation }, scope) =>
      bindPlatform(shared, { installationId, generation }, scope),
  });
}

function createDashboardCalls(
  options: AppOptions,
  {
    store,
    tokenClient,
    verifier,
    publicUrl,
    logger,
    closing,
    alerts,
    applied,
    runs,
    shapes,
    now,
  }: SharedContext & { runs: RunsContext },
) {
  const { configuration, plugins, describeSettings = () => [] } = options;
  const { oidc } = configuration.dashboard;
  return [
    createAdminRoutes({
      store,
      tokenClient,
      verifier,
      plugins,
      hasSignIn: options.options.dashboard !== undefined,
      describeSettings,
      isProduction: configuration.keyFile.production === true,
      publicUrl,
      adminUrl: configuration.adminUrl,
      logger,
      oidc: oidc && createProvider(options, { settings: oidc, now }),
      closing: closing.signal,
      alerts,
      applied,
      shapes,
      runs,
      now,
    }),
  ];
}

/** The operator named the provider, so it may have a private address. */
function createProvider(
  { configuration, options }: AppOptions,
  { settings, now }: { settings: OidcSettings; now: () => number },
): OidcProvider {
  const issuerOrigin = new URL(settings.issuer).origin;
  const allowed = [issuerOrigin, ...internalOrigins(configuration)];
  const { fetch = createGuardedFetch({ internalOrigins: allowed }) } = options;
  return createOidcProvider(settings, { adminUrl: configuration.adminUrl, fetch, now });
}

function createPageRoutes({ store, plugins, configuration, options: { dashboard } }: AppOptions) {
  const { publicUrl, trust, basePath } = configuration;
  const ofPlugins = plugins.map((plugin) =>
    createFrontendRoutes({
      prefix: prefixOf(plugin),
      manifestText: plugin.manifestText,
      publicUrl,
      frames: { store, trustRules: trust },
      keyOrigins: keyOrigins(trust),
      frontend: plugin.frontend,
    }),
  );
  if (!dashboard) return ofPlugins;
  const { directory } = dashboard;
  return [...ofPlugins, createDashboardPages({ directory, basePath })];
}
