/** The context that all plug-ins of a server share: the verifier, the token client, the guards, the log. */
import type { Store, UnmatchedPages } from '@dowel/installation-store';
import {
  createPlatformJwtVerifier,
  type KeyLocationMemory,
  type PlatformJwtVerifier,
  type TrustRule,
} from '@dowel/platform-jwt';
import {
  type ApiOriginRule,
  defaultPlatformProfile,
  type PlatformProfile,
  type Setting,
  spellIssuer,
} from '@dowel/schema';
import { createTokenClient, type TokenClient } from '@dowel/token-client';
import type { AlertSettings } from './alerts/alert-settings.ts';
import { createAlertsContext } from './alerts/alerts-context.ts';
import type { OidcSettings } from './dashboard/oidc-settings.ts';
import { createDatabaseState } from './database-state.ts';
import { createDriftLog } from './events/drift-log.ts';
import { createKeyLocationMemory } from './events/key-location-memory.ts';
import { createOwnPlugins } from './events/own-plugins.ts';
import {
  createReceptionGuard,
  defaultReceptionLimits,
  type ReceptionLimits,
} from './events/reception-guard.ts';
import { createRefusalLog } from './events/refusal-log.ts';
import { createRefusalTally } from './events/refusal-tally.ts';
import { countObservation, countTurnedAway, createFleetSampler } from './fleet-samples.ts';
import type { HooksByPlugin } from './hooks/hooks.ts';
import { createOutbox } from './hooks/outbox.ts';
import { type HookPolicy, readHookPolicy } from './hooks/policy.ts';
import type { Log } from './log/log.ts';
import type { Observe } from './observation.ts';
import { createCallGate } from './operations/call-limits.ts';
import type { NotificationLimits } from './platform/notification-limits.ts';
import { reportTokens } from './report-tokens.ts';
import { namePlugins, type ServedPlugin } from './served-plugin.ts';
import { defaultSessionClaims } from './sessions/caller.ts';
import type { NonceRule } from './sessions/session-nonce.ts';
import { createShapeTally, type ShapeTally, tallyShape } from './shape-tally.ts';

interface DashboardSettings {
  directory: string;
  /** The dashboard's address, without `/admin/`. Default: the public URL, where plug-ins are. */
  url?: string | undefined;
  oidc?: OidcSettings | undefined;
  /** Returns the settings in effect, for the dashboard's page. Default: the page shows none. */
  describeSettings?: (() => Setting[]) | undefined;
  isProduction?: boolean | undefined;
  /** Makes a new encryption key and returns its id. Undefined: only `dowel keys` can do it. */
  rotateKey?: (() => Promise<string>) | undefined;
}

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
  /** Exchanges that one installation may cause in a minute. Default 20. */
  exchangesPerMinute?: number | undefined;
  notificationLimits?: NotificationLimits;
  /** Default `optional`. */
  sessionNonce?: NonceRule;
  /** Default `until-matched`. */
  unmatchedPages?: UnmatchedPages;
  /** Default: see `defaultSessionClaims`. */
  sessionClaims?: readonly string[] | undefined;
  /** Hosts of tenants and keys, such as `intranet.local:8443`, that may have private addresses. */
  internalHosts?: readonly string[];
  /** Where the APIs of an issuer's tenants may be, besides at the issuer's own origin. Default: nowhere else. */
  apiOrigins?: readonly ApiOriginRule[];
  /** Our plug-in ids, in lower case. An empty list accepts every plug-in. */
  pluginIds?: readonly string[];
  /** Accepted values of an `aud` claim, besides the public URL. */
  audience?: readonly string[];
  /** Undefined: there is no dashboard. */
  dashboard?: DashboardSettings | undefined;
  /** The path to which a proxy sends all events. Default: the manifest's paths. */
  eventPath?: string | undefined;
  /** Scopes without which an installation is refused (Spec §4.1). Default: all that are requested. */
  essentialScopes?: readonly string[] | undefined;
  /** Reverse proxies in front whose X-Forwarded-For is believed. Default 0. */
  proxyHops?: number;
  /** Values that are left out have their defaults. */
  hookPolicy?: Partial<HookPolicy> | undefined;
  /** Default: every rule with its default, and no channel. */
  alerts?: AlertSettings | undefined;
  /** Called with each observation. */
  observe?: Observe;
}

export type SharedContext = ReturnType<typeof createSharedContext>;

/** Creates what all plug-ins of a server share. The store must be open. */
export function createSharedContext(options: AppOptions) {
  const { store, publicUrl, logger, pluginIds = [], trustRules, apiOrigins = [] } = options;
  const policy = readHookPolicy(options.hookPolicy);
  const { profile = defaultPlatformProfile, now = Date.now } = options;
  const sampler = createFleetSampler();
  const observe: Observe = (observation) => {
    countObservation(sampler, observation);
    options.observe?.(observation);
  };
  const { receptionLimits = defaultReceptionLimits } = options;
  const keys = createKeyLocationMemory({ store, logger });
  const refusals = createRefusalTally({ store, logger, now });
  const database = createDatabaseState();
  const shapes = createShapeTally({ store, database, logger, now });
  return {
    store,
    publicUrl,
    logger,
    trustRules,
    apiOrigins,
    profile,
    now,
    observe,
    verifier: createVerifier(options, { keyLocationMemory: keys, now }),
    hookPolicy: policy,
    tokenClient: createAppTokenClient(options, { profile, now, policy, observe, shapes }),
    guard: createReceptionGuard(receptionLimits, now),
    refusals,
    shapes,
    refusalLog: createRefusalLog(logger, {
      count: (status) => countTurnedAway(sampler, status),
      tally: refusals,
    }),
    sampler,
    applied: createOutbox(hooksOf(options.plugins)),
    gate: createCallGate(),
    driftLog: createDriftLog(logger),
    nonceRule: options.sessionNonce ?? 'optional',
    unmatchedPages: options.unmatchedPages ?? 'until-matched',
    sessionClaims: options.sessionClaims ?? defaultSessionClaims,
    ownPlugins: createOwnPlugins(pluginIds, logger),
    keys,
    closing: new AbortController(),
    database,
    alerts: createAlertsContext({
      settings: options.alerts,
      store,
      publicUrl: options.dashboard?.url ?? publicUrl,
      pluginName: namePlugins(options.plugins),
      internalOrigins: internalOrigins(options),
      database,
      logger,
      now,
    }),
  };
}

function createVerifier(
  { trustRules, publicUrl, fetch, internalHosts = [], audience = [] }: AppOptions,
  { keyLocationMemory, now }: { keyLocationMemory: KeyLocationMemory; now: () => number },
): PlatformJwtVerifier {
  return createPlatformJwtVerifier({
    trustRules,
    fetch,
    allowPrivateKeyHosts: internalHosts,
    keyLocationMemory,
    audience: [...audience, ...namesOf(publicUrl)],
    now,
  });
}

/** The names that a platform may have for this back end: its public URL and that URL's origin, with and without a slash. */
function namesOf(publicUrl: string): string[] {
  const names = [publicUrl.replace(/\/$/, ''), new URL(publicUrl).origin];
  return names.flatMap((name) => [name, `${name}/`]);
}

function createAppTokenClient(
  options: AppOptions,
  {
    profile,
    now,
    policy,
    observe,
    shapes,
  }: {
    profile: PlatformProfile;
    now: () => number;
    policy: HookPolicy;
    observe: Observe;
    shapes: ShapeTally;
  },
): TokenClient {
  const hooks = hooksOf(options.plugins);
  const hasHook = Object.values(hooks).some(({ broken, recovered }) => broken ?? recovered);
  const isTold = hasHook || options.observe !== undefined;
  return createTokenClient({
    store: options.store,
    profile,
    policy: { brokenAfterMs: policy.brokenAfterMs },
    // Without `applied`, the token client does not look for broken installations.
    ...(isTold && { applied: createOutbox(hooks) }),
    fetch: options.fetch,
    internalOrigins: internalOrigins(options),
    apiOrigins: options.apiOrigins ?? [],
    now,
    observe: reportTokens(options.logger, observe),
    observeAnswer: (lines) => tallyShape(shapes, 'token answer', () => lines),
  });
}

/** The hooks of each plug-in, by the plug-in's name. */
export function hooksOf(plugins: readonly ServedPlugin[]): HooksByPlugin {
  return Object.fromEntries(plugins.map(({ name, hooks = {} }) => [name, hooks]));
}

/** Private addresses are refused, except a platform on this machine and the configured hosts. */
export function internalOrigins({
  trustRules,
  apiOrigins = [],
  internalHosts = [],
}: Pick<AppOptions, 'trustRules' | 'apiOrigins' | 'internalHosts'>): string[] {
  const named = [
    ...trustRules.map(({ issuer }) => issuer),
    ...apiOrigins.map(({ origin }) => origin),
  ];
  const loopback = named.map(spellIssuer).filter((origin) => origin.startsWith('http:'));
  return [...loopback, ...internalHosts.map((host) => `https://${host}`)];
}
