/** The context that all plug-ins of a server share: the verifier, the token client, the guards, the log. */
import type { Setting } from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import {
  createPlatformJwtVerifier,
  type PlatformJwtVerifier,
  type PlatformJwtVerifierOptions,
} from '@dowel/platform-jwt';
import { spellIssuer } from '@dowel/schema';
import { createTokenClient } from '@dowel/token-client';
import { createAlertsContext } from '../alerts/alerts-context.ts';
import { createDatabaseState } from '../base/database-state.ts';
import { createShapeTally, type ShapeTally, tallyShape } from '../base/shape-tally.ts';
import { createDeliveryTally } from '../events/delivery-tally.ts';
import { createDriftLog } from '../events/drift-log.ts';
import { createKeyLocationMemory } from '../events/key-location-memory.ts';
import { createOwnPlugins } from '../events/own-plugins.ts';
import { createReceptionGuard } from '../events/reception-guard.ts';
import { createRefusalLog } from '../events/refusal-log.ts';
import type { HooksByPlugin } from '../hooks/hooks.ts';
import { createOutbox } from '../hooks/outbox.ts';
import { readHookPolicy } from '../hooks/policy.ts';
import type { Log } from '../log/log.ts';
import { countCalls } from '../metrics/count-calls.ts';
import { countObserved, countRefused } from '../metrics/count-observation.ts';
import type { Metrics } from '../metrics/create-metrics.ts';
import { measureFleet } from '../metrics/measure-state.ts';
import type { Observe } from '../observation.ts';
import { createCallGate } from '../operations/call-limits.ts';
import { namePlugins, type ServedPlugin } from '../served-plugin.ts';
import type { CommonOptions } from '../server-options.ts';
import { defaultSessionClaims } from '../sessions/caller.ts';
import type { Configuration } from '../settings/read-configuration.ts';
import { createCallReporter, reportCalls } from './call-reporter.ts';
import { countObservation, countTurnedAway, createFleetSampler } from './fleet-samples.ts';
import { reportTokens } from './report-tokens.ts';

export interface AppOptions {
  store: Store;
  plugins: readonly ServedPlugin[];
  configuration: Configuration;
  /** The options that are functions, and those of hooks and pages. Each default is that of `createServer`. */
  options: Pick<
    CommonOptions,
    'dashboard' | 'fetch' | 'hookPolicy' | 'now' | 'observe' | 'sessionClaims'
  >;
  logger: Log;
  /** Default: nothing is measured. */
  metrics?: Metrics | undefined;
  /** Returns the settings in effect, for the dashboard's page. Default: the page shows none. */
  describeSettings?: () => Setting[];
}

export type SharedContext = ReturnType<typeof createSharedContext>;

/** Creates what all plug-ins of a server share. The store must be open. */
export function createSharedContext(given: AppOptions) {
  const { store, plugins, configuration, options, logger } = given;
  const { publicUrl, adminUrl, trust, apiOrigins, profile, sessions } = configuration;
  const { now = Date.now } = options;
  const tallies = createTallies({ ...given, now });
  const { sampler, database } = tallies;
  const { metrics } = given;
  const observe: Observe = (observation) => {
    countObservation(sampler, observation);
    if (metrics) countObserved(metrics, observation);
    options.observe?.(observation);
  };
  const hooks = hooksOf(plugins);
  const calls = createCallReporter(store);
  const onCalls = () => reportCalls({ store, tokenClient, calls, logger, now });
  const client = createAppTokenClient(given, { hooks, observe, onCalls, ...tallies });
  const tokenClient = metrics ? countCalls(metrics, client) : client;
  const location = configuration.database;
  if (metrics) metrics.state.sources = { location, database, store, tokenClient, now };
  const keys = createKeyLocationMemory({ store, logger });
  return {
    store,
    onSample: metrics && (() => measureFleet(metrics.state, { store, now })),
    publicUrl,
    logger,
    withoutDatabaseMs: configuration.withoutDatabaseMs,
    trustRules: trust,
    apiOrigins,
    profile,
    now,
    observe,
    verifier: createVerifier(configuration, { keyLocationMemory: keys, fetch: options.fetch, now }),
    hookPolicy: readHookPolicy(options.hookPolicy),
    tokenClient,
    calls,
    guard: createReceptionGuard(configuration.limits, now),
    ...tallies,
    applied: createOutbox(hooks),
    gate: createCallGate(),
    driftLog: createDriftLog(logger),
    nonceRule: sessions.nonce,
    unmatchedPages: sessions.unmatched,
    sessionClaims: options.sessionClaims ?? defaultSessionClaims,
    ownPlugins: createOwnPlugins(configuration.pluginIds, logger),
    keys,
    closing: new AbortController(),
    alerts: createAlertsContext({
      settings: configuration.alerts,
      store,
      publicUrl: adminUrl,
      pluginName: namePlugins(plugins),
      internalOrigins: internalOrigins(configuration),
      database,
      logger,
      now,
    }),
  };
}

/** What is counted for the dashboard, and whether the database can store it. */
function createTallies({
  store,
  metrics,
  logger,
  now,
}: Pick<AppOptions, 'store' | 'metrics' | 'logger'> & { now: () => number }) {
  const sampler = createFleetSampler();
  const deliveries = createDeliveryTally({ store, logger, now });
  const database = createDatabaseState();
  const refusalLog = createRefusalLog(logger, {
    count(refused) {
      countTurnedAway(sampler, refused.status);
      if (metrics) countRefused(metrics, refused);
    },
    tally: deliveries,
  });
  return {
    sampler,
    deliveries,
    refusalLog,
    database,
    shapes: createShapeTally({ store, database, logger, now }),
  };
}

function createVerifier(
  { trust, internalHosts, audience, publicUrl }: Configuration,
  options: Pick<PlatformJwtVerifierOptions, 'fetch' | 'keyLocationMemory' | 'now'>,
): PlatformJwtVerifier {
  return createPlatformJwtVerifier({
    ...options,
    trustRules: trust,
    allowPrivateKeyHosts: internalHosts,
    audience: [...audience, ...namesOf(publicUrl)],
  });
}

function createAppTokenClient(
  { store, configuration, options, logger }: AppOptions,
  {
    hooks,
    observe,
    onCalls,
    shapes,
  }: { hooks: HooksByPlugin; observe: Observe; onCalls: () => void; shapes: ShapeTally },
) {
  const { brokenAfterMs } = readHookPolicy(options.hookPolicy);
  return createTokenClient({
    store,
    profile: configuration.profile,
    policy: { brokenAfterMs },
    // Without `applied`, the token client does not look for broken installations.
    ...((options.observe || hearsOfBroken(hooks)) && { applied: createOutbox(hooks) }),
    fetch: options.fetch,
    internalOrigins: internalOrigins(configuration),
    apiOrigins: configuration.apiOrigins,
    now: options.now ?? Date.now,
    observe: reportTokens(logger, observe),
    onCalls,
    observeAnswer: (lines) => tallyShape(shapes, 'token answer', () => lines),
  });
}

function hearsOfBroken(hooks: HooksByPlugin): boolean {
  return Object.values(hooks).some(({ broken, recovered }) => broken ?? recovered);
}

/** The names that a platform may have for this back end: its public URL and that URL's origin, with and without a slash. */
function namesOf(publicUrl: string): string[] {
  const names = [publicUrl.replace(/\/$/, ''), new URL(publicUrl).origin];
  return names.flatMap((name) => [name, `${name}/`]);
}

/** The hooks of each plug-in, by the plug-in's name. */
export function hooksOf(plugins: readonly ServedPlugin[]): HooksByPlugin {
  return Object.fromEntries(plugins.map(({ name, hooks = {} }) => [name, hooks]));
}

/** Private addresses are refused, except a platform on this machine and the configured hosts. */
export function internalOrigins({
  trust,
  apiOrigins,
  internalHosts,
}: Pick<Configuration, 'trust' | 'apiOrigins' | 'internalHosts'>): string[] {
  const named = [...trust.map(({ issuer }) => issuer), ...apiOrigins.map(({ origin }) => origin)];
  const loopback = named.map(spellIssuer).filter((origin) => origin.startsWith('http:'));
  return [...loopback, ...internalHosts.map((host) => `https://${host}`)];
}
