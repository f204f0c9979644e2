/** The context of one token client: its options, its state in memory, and the wait for tokens. */
import {
  boundResponse,
  createGuardedFetch,
  type GuardedFetch,
  joinSignals,
  pause,
  systemTimer,
  type Timer,
} from '@dowel/http';
import {
  defaultPlatformProfile,
  isApiOrigin,
  type PlatformProfile,
  type Respelling,
} from '@dowel/schema';
import { LRUCache } from 'lru-cache';
import { type CallEntryLog, createCallEntries } from './call-entries.ts';
import { type CallRecordLog, createCallRecords } from './call-records.ts';
import { type CallUrl, createCallUrls } from './call-request.ts';
import { type CallTally, createCallTally } from './call-tally.ts';
import {
  type ChangeWatch,
  type ChangeWatches,
  createChangeWatches,
  watchChanges,
} from './change-watches.ts';
import { installationPaused } from './errors.ts';
import { createFairGate, type FairGate } from './fair-gate.ts';
import { createGrantCache, type GrantCache } from './grant-cache.ts';
import type { TokenObservation } from './observation.ts';
import { assertPolicy, defaultPolicy, type TokenPolicy } from './policy.ts';
import type { DeadGrant, RefusedTrigger } from './recovery.ts';
import type { RefusedPaths } from './refused-paths.ts';
import type { Flight } from './single-flight.ts';
import type { TokenClientOptions } from './token-client.ts';
import type {
  ApplyChange,
  Grant,
  GrantVersion,
  StoredVersion,
  TokenOperationEntry,
  TokenStore,
} from './token-store.ts';

/** A body without data for 30 s is abandoned. Each request has its own limit until the headers. */
const limits = { idleTimeoutMs: 30_000, headersTimeoutMs: 0 };

/** The token set that replaces one that the platform refused, or that is about to expire. */
export interface Renewal {
  grant: Grant;
  /** It was stored before the refusal was known, so the platform may refuse it as well. */
  isFound: boolean;
}

/** Every request to a platform that is not a call. */
type RequestKind = 'refresh' | 'exchange' | 'trigger';

export interface TokenContext {
  store: TokenStore;
  cache: GrantCache;
  profile: PlatformProfile;
  policy: TokenPolicy;
  /** Carries token and trigger requests. */
  fetch: typeof fetch;
  /** Carries the calls to the platform. It reports when a call no longer needs its connection. */
  callFetch: GuardedFetch;
  callUrl: (baseUrl: string, path: string) => CallUrl;
  /** What the calls met. */
  calls: CallRecordLog;
  /** Single calls, for the log. */
  entries: CallEntryLog;
  /** Calls by outcome and time. */
  tally: CallTally;
  /** Whether an address of an event of this issuer may have another origin than its `base_url`. */
  allowsOrigin: (issuer: string) => (url: URL) => boolean;
  /** Epoch milliseconds. */
  now: () => number;
  timer: Timer;
  /** From 0 to less than 1. */
  random: () => number;
  observe: (observation: TokenObservation) => void;
  observeAnswer: ((lines: readonly string[]) => void) | undefined;
  applied: ApplyChange | undefined;
  /** Aborted when the client is drained, which ends all waits. */
  closing: AbortController;
  watches: ChangeWatches;

  /** The renewal that runs in this process, by installation. */
  flights: Map<string, Flight>;
  /** Work that no caller waits for; `drain` does. */
  background: Set<Promise<unknown>>;
  /** Calls that wait for tokens: in all, and by installation. */
  waiting: { calls: number; byInstallation: Map<string, number> };
  /** How often a refresh token was presented whose earlier presentation had no answer. */
  presentedAgain: number;
  /** Limits concurrent calls, by origin. */
  callGate: FairGate;
  /** Limits concurrent requests of each kind, by base URL. */
  gates: Record<RequestKind, FairGate>;
  /** Limits the refreshes of the whole process. Its tenants are base URLs. */
  refreshGate: FairGate;
  /** Limits the triggers of the whole process. Its tenants are base URLs. */
  triggerGate: FairGate;
  refusedTriggers: LRUCache<string, RefusedTrigger>;
  deadGrants: LRUCache<string, DeadGrant>;
  refusedPaths: LRUCache<string, RefusedPaths>;
}

/**
 * Creates the state that all functions of one token client share.
 *
 * @throws TypeError when a value of the policy is not allowed.
 */
export function createContext(options: TokenClientOptions): TokenContext {
  const { store, profile = defaultPlatformProfile, now = Date.now, timer = systemTimer } = options;
  const policy = { ...defaultPolicy, ...options.policy };
  assertPolicy(policy);
  const closing = new AbortController();
  const { signal } = closing;
  const { apiOrigins = [], onCalls = () => {} } = options;
  // `max` would reserve all space at once.
  const ofGrants = { maxSize: policy.maxGrants, sizeCalculation: () => 1 };
  const guard = { internalOrigins: options.internalOrigins ?? [], ...limits };
  return {
    store,
    cache: createGrantCache(store, policy),
    // After the cache: a woken waiter must not find an outdated token set.
    watches: createChangeWatches(store, signal),
    profile,
    policy,
    fetch: options.tokenFetch ?? options.fetch ?? createGuardedFetch(guard),
    callFetch:
      options.callFetch ??
      (options.fetch
        ? wrapFetch(options.fetch)
        : createGuardedFetch({ ...guard, connectionsPerOrigin: policy.callPlaces.places })),
    callUrl: createCallUrls(policy.maxGrants),
    calls: createCallRecords({ policy, now, onCalls }),
    entries: createCallEntries({ now, timer, onCalls }),
    tally: createCallTally(),
    allowsOrigin: (issuer) => (url) => isApiOrigin(apiOrigins, { issuer, url }),
    now,
    timer,
    random: options.random ?? Math.random,
    observe(observation) {
      // Errors thrown by the observer are ignored, and rejections too.
      void (async () => options.observe?.(observation))().catch(() => undefined);
    },
    observeAnswer: options.observeAnswer,
    applied: options.applied,
    closing,
    flights: new Map(),
    background: new Set(),
    waiting: { calls: 0, byInstallation: new Map() },
    presentedAgain: 0,
    callGate: createFairGate(policy.callPlaces),
    gates: {
      refresh: createFairGate(policy.requestPlaces, signal),
      exchange: createFairGate(policy.requestPlaces, signal),
      trigger: createFairGate(policy.requestPlaces, signal),
    },
    refreshGate: createFairGate(policy.refreshPlaces, signal),
    triggerGate: createFairGate(policy.refreshPlaces, signal),
    refusedTriggers: new LRUCache(ofGrants),
    deadGrants: new LRUCache(ofGrants),
    refusedPaths: new LRUCache(ofGrants),
  };
}

/** A caller's own `fetch` does not report the end of a body, so a call counts as ended at the headers. */
function wrapFetch(callersFetch: typeof fetch): GuardedFetch {
  return async (input, { onBodyEnd, untilHeaders, maxBodyBytes = Infinity, ...init } = {}) => {
    const signal = joinSignals(init.signal, untilHeaders) ?? null;
    const response = await callersFetch(input, { ...init, signal });
    onBodyEnd?.();
    return boundResponse(response, maxBodyBytes);
  };
}

/** Observes what the token answers of an installation spell otherwise than the specification. */
export function observeRespelled(
  { observe }: TokenContext,
  installationId: string,
): (respelled: readonly Respelling[]) => void {
  return (respelled) => observe({ type: 'respelled', installationId, respelled });
}

/** Keeps work that no caller waits for, so that `drain` waits for it. Errors of the work are ignored here. */
export function runInBackground({ background }: TokenContext, work: Promise<unknown>): void {
  const tracked = work.catch(() => {}).finally(() => background.delete(tracked));
  background.add(tracked);
}

/** True when the store holds a newer token set than `version`, or none. */
export async function isReplaced({ store }: TokenContext, version: GrantVersion): Promise<boolean> {
  return replaces(await store.grants.findVersion(version.installationId), version);
}

/** An older one is no replacement: the database went back to it in a failover, and this one is written again. */
function replaces(stored: StoredVersion | undefined, { tokenVersion }: GrantVersion): boolean {
  return stored === undefined || stored.tokenVersion > tokenVersion;
}

/** Resolves when the installation was changed, or after a pause, because the announcement may be late. */
export async function changeOrPause(
  { timer, random, policy: { pollMs } }: TokenContext,
  { signal }: ChangeWatch,
  untilMs: number,
): Promise<void> {
  const jittered = pollMs * (0.5 + random() / 2);
  await pause(timer, Math.max(1, Math.min(jittered, untilMs)), signal);
}

/**
 * Waits for a token set other than `version`, stored by any process. `isFound` if it is there at the first
 * read. Undefined after `ms`, or when `signal` or the end of the client stops the wait.
 *
 * @throws TokenClientError `GRANT_NOT_FOUND` when the installation is removed meanwhile, `INSTALLATION_PAUSED` when
 * an operator pauses it.
 */
export async function newerGrant(
  context: TokenContext,
  version: GrantVersion,
  { ms, signal }: { ms: number; signal?: AbortSignal },
): Promise<Renewal | undefined> {
  const { store, cache, timer, closing } = context;
  const { installationId } = version;
  const endsAt = timer.monotonic() + ms;
  for (let polls = 0; ; polls += 1) {
    const watch = watchChanges(context, installationId);
    try {
      const stored = await store.grants.findVersion(installationId);
      if (stored?.isPaused) throw installationPaused();
      if (replaces(stored, version)) {
        return { grant: await cache.reload(installationId), isFound: polls === 0 };
      }
      const untilMs = endsAt - timer.monotonic();
      if (untilMs <= 0 || closing.signal.aborted || signal?.aborted) return undefined;
      await changeOrPause(context, watch, untilMs);
    } finally {
      watch.stop();
    }
  }
}

/** Records a request without tokens in the history. Failures to write are ignored. */
export async function recordRequest(
  { store, now }: TokenContext,
  { installationId }: GrantVersion,
  entry: {
    operation: TokenOperationEntry['operation'];
    startedAt: number;
    reason: string | null;
  },
): Promise<void> {
  const { operation, startedAt, reason } = entry;
  await store.events
    ?.recordTokenOperation({
      installationId,
      operation,
      startedAt,
      durationMs: now() - startedAt,
      succeeded: reason === null,
      tokenVersion: null,
      reason,
    })
    .catch(() => {});
}
