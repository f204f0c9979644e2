/** The token client: calls a tenant's platform and keeps its access token fresh (Spec §5). */
import { type GuardedFetch, pause, type Timer } from '@dowel/http';
import type { AccessTokenEvent, ApiOriginRule, PlatformProfile, Secret } from '@dowel/schema';
import { type AcceptEventOptions, type Accepted, acceptEvent } from './accept-event.ts';
import type { CallEntries } from './call-entries.ts';
import { callPlatform, grantForCall } from './call-platform.ts';
import type { CallRecords } from './call-records.ts';
import type { CallInit } from './call-request.ts';
import type { CallCounts } from './call-tally.ts';
import { createContext, runInBackground, type TokenContext } from './context.ts';
import type { TokenObservation } from './observation.ts';
import {
  type AskOutcome,
  askForEvent,
  type ConnectionTest,
  refreshNow,
  testConnection,
} from './operator-requests.ts';
import type { TokenPolicy } from './policy.ts';
import { probeFailing } from './probe-failing.ts';
import { healDueGrants } from './recovery.ts';
import { restoreTokens } from './save-tokens.ts';
import type {
  BrokenChange,
  InstallationLife,
  RecoveredChange,
  TokenStore,
  TokenStores,
} from './token-store.ts';
import { renewRefused } from './usable-grant.ts';
import { type CallLimits, waitForTokens } from './wait-for-tokens.ts';

/** For writes that were left behind at the end of `drain`. */
const lastWritesMs = 1_000;

export interface TokenClientOptions<Stores extends TokenStores = TokenStores> {
  /** Holds the tokens. */
  store: TokenStore<Stores>;
  /** What the platform does differently. Default `defaultPlatformProfile` of `@dowel/schema`. */
  profile?: PlatformProfile;
  /**
   * Carries the calls. Default: a fetch that connects to public addresses and by https only. Your own fetch
   * has no such protection unless you build it in. It must allow the connections of `callPlaces`, and more for
   * bodies that are still read: with your own fetch, a call has its place only until the headers of its answer.
   */
  fetch?: typeof fetch | undefined;
  /**
   * Carries the calls instead of `fetch`, and reports when their bodies have ended, as a fetch of
   * `createGuardedFetch` of `@dowel/http` does. A call then has its place until its body has ended.
   */
  callFetch?: GuardedFetch;
  /**
   * Carries token and trigger requests, which must not queue at all. Default: `fetch`; without it, the
   * same protection and no limit of connections.
   */
  tokenFetch?: typeof fetch;
  /**
   * Origins of platforms that may have private addresses and may use http, such as
   * `http://localhost:4300`. For the defaults of `fetch` and `tokenFetch`. Default none.
   */
  internalOrigins?: readonly string[];
  /**
   * Where the APIs of an issuer's tenants may be, besides at the issuer's origin. An absolute token endpoint or trigger is
   * called at the origin of `base_url`, at the issuer's, and there. Default: nowhere else.
   */
  apiOrigins?: readonly ApiOriginRule[];
  /** Epoch milliseconds. Default `Date.now`. */
  now?: () => number;
  /** Default: the system's. Tests replace it. */
  timer?: Timer;
  /** From 0 to less than 1. Default `Math.random`. */
  random?: () => number;
  /** Times in milliseconds, and limits. What is left out has the value of `defaultPolicy`. */
  policy?: Partial<TokenPolicy>;
  /**
   * Called after every refresh, trigger and recovery; with `applied` also when an installation becomes broken
   * or recovers. Errors and rejections are ignored.
   */
  observe?: (observation: TokenObservation) => void;
  /**
   * Called with the shape of each answer of a token endpoint, as lines of `describeShape` of `@dowel/schema`: no value.
   * Answers with 5xx are left out. Errors are ignored.
   */
  observeAnswer?: (lines: readonly string[]) => void;
  /**
   * Called at the first failure of an installation in a round of `entries`, when the third call in a row of it has failed,
   * and at an awaited success of `calls`. It must not throw. Default: nothing is called.
   */
  onCalls?: () => void;
  /**
   * Called in the transaction in which a usable installation becomes `broken`, or has tokens again:
   * `recovered`. Default: none; then no installation becomes broken.
   */
  applied?(stores: Stores, change: BrokenChange | RecoveredChange): Promise<void>;
}

/** An access token for a request that the caller sends. */
export interface AccessToken {
  accessToken: Secret;
  tokenVersion: number;
  /** Epoch milliseconds; null when the platform named no lifetime. */
  expiresAt: number | null;
  /** The only origin that the token may be sent to. */
  baseUrl: string;
}

export interface WaitOptions {
  /** Ends the wait. Default: none. */
  signal?: AbortSignal | null;
  /** The time limit of the wait, in milliseconds. Default: `callTimeoutMs` of the policy, 30,000. */
  timeoutMs?: number;
}

interface TokenFigures {
  /** Calls that wait for tokens, or for a place at the platform. */
  waitingCalls: number;
  /** Token sets that are in memory only, because the database could not store them. */
  unsavedTokens: number;
  /** How often a refresh token was presented whose earlier presentation had no answer. */
  presentedAgain: number;
}

export interface TokenClient<Stores extends TokenStores = TokenStores> {
  /**
   * Calls the tenant's platform with its access token; on 401 renews the token and tries again. The
   * token goes to the tenant's `base_url` and nowhere else.
   *
   * @param path relative to the tenant's `base_url`.
   * @throws TokenClientError; what the transport throws.
   */
  fetch(installationId: string, path: string, init?: CallInit): Promise<Response>;

  /** What the calls of this process met, for each installation. A call that the database hindered is left out. */
  readonly calls: CallRecords;

  /** Single calls that failed, and a sample of those that succeeded: at most one of an installation per minute. */
  readonly entries: CallEntries;

  /** Takes the counts of the calls that have ended since it was last called. */
  takeCallCounts(): CallCounts;

  /** @throws TokenClientError */
  getAccessToken(installationId: string, options?: WaitOptions): Promise<AccessToken>;

  /**
   * Reports that the platform answered 401 to this version of the access token. Renews it, unless that has
   * happened already. `getAccessToken` waits for the renewal.
   *
   * @throws TokenClientError
   */
  invalidate(installationId: string, tokenVersion: number, options?: WaitOptions): Promise<void>;

  /**
   * Exchanges the event's one-time code and stores the tokens. The caller must ensure that an event is
   * accepted only once.
   *
   * @throws TokenRequestError, TokenStoreError, and what `commit` throws.
   */
  acceptEvent<Result = undefined>(
    installation: InstallationLife,
    event: AccessTokenEvent,
    options: AcceptEventOptions<Result, Stores>,
  ): Promise<Accepted<Result>>;

  /**
   * Sends the triggers that are due, so that installations recover without a call. Tries again to renew tokens
   * that could not be renewed, and records installations that stay without tokens as broken. Run it every few
   * seconds, in any number of processes.
   *
   * @returns how many the platform accepted. @throws what the store throws. The next round takes what was left.
   */
  heal(): Promise<number>;

  /**
   * For operators: presents the refresh token now, also while the access token is valid.
   *
   * @returns the version of the new token set. @throws TokenClientError
   */
  refreshNow(installationId: string): Promise<number>;

  /**
   * For operators: asks for a new access_token event now, ahead of the pause between two requests, but at most every
   * ten seconds. @throws TokenClientError
   */
  askForEvent(installationId: string): Promise<AskOutcome>;

  /** For operators: one GET to `base_url` with the stored access token. @throws TokenClientError */
  testConnection(installationId: string): Promise<ConnectionTest>;

  /** What is going on in this process. */
  figures(): TokenFigures;

  /**
   * Resolves when every renewal has ended, every received token is stored, and every trigger that was sent is
   * recorded. After `drainMs`, current and new waiters are rejected.
   */
  drain(): Promise<void>;
}

/**
 * Creates the token client: one per process and store. All processes of a store agree on one refresh at a
 * time (docs/decisions/0015-one-refresh.md). Call `heal` every few seconds, and `drain` before the store
 * closes. Each option and its default: {@link TokenClientOptions}.
 *
 * @example
 * const tokenClient = createTokenClient({ store });
 * const { accessToken, baseUrl } = await tokenClient.getAccessToken(installation.id);
 * const heal = () => tokenClient.heal().catch((error) => process.emitWarning(error));
 * const healing = setInterval(() => void heal(), 5_000);
 *
 * @throws TypeError for a value of `policy` that is not a time or a count, and for times with which nothing is sent.
 */
export function createTokenClient<Stores extends TokenStores = TokenStores>(
  options: TokenClientOptions<Stores>,
): TokenClient<Stores> {
  const context = createContext(options);
  options.store.onLoss?.((installationIds) => restoreTokens(context, installationIds));
  return {
    fetch: (installationId, path, init = {}) =>
      callPlatform(context, { installationId, path, init }),
    calls: context.calls,
    entries: context.entries,
    takeCallCounts: () => context.tally.take(),
    getAccessToken: (installationId, wait = {}) => getAccessToken(context, installationId, wait),
    invalidate: (installationId, tokenVersion, wait = {}) =>
      invalidate(context, { installationId, tokenVersion }, wait),
    acceptEvent: (installation, event, acceptOptions) =>
      awaitedByDrain(context, acceptEvent(context, { installation, event, ...acceptOptions })),
    heal: () => awaitedByDrain(context, heal(context)),
    refreshNow: (installationId) => refreshNow(context, installationId),
    askForEvent: (installationId) => awaitedByDrain(context, askForEvent(context, installationId)),
    testConnection: (installationId) => testConnection(context, installationId),
    figures: () => ({
      waitingCalls: context.waiting.calls + context.callGate.leavers.size,
      unsavedTokens: context.cache.unsavedCount(),
      presentedAgain: context.presentedAgain,
    }),
    drain: () => drain(context),
  };
}

/** What was sent is recorded before the store closes. */
function awaitedByDrain<Result>(context: TokenContext, work: Promise<Result>): Promise<Result> {
  runInBackground(context, work);
  return work;
}

/** Both parts run, also if the other one fails. */
async function heal(context: TokenContext): Promise<number> {
  const probing = probeFailing(context);
  probing.catch(() => {});
  const accepted = await healDueGrants(context);
  await probing;
  return accepted;
}

async function getAccessToken(
  context: TokenContext,
  installationId: string,
  wait: WaitOptions,
): Promise<AccessToken> {
  const grant = await grantForCall(context, limitsOf(context, installationId, wait));
  const { accessToken, tokenVersion, expiresAt, baseUrl } = grant;
  return { accessToken, tokenVersion, expiresAt, baseUrl };
}

async function invalidate(
  context: TokenContext,
  refused: { installationId: string; tokenVersion: number },
  wait: WaitOptions,
): Promise<void> {
  await waitForTokens(context, limitsOf(context, refused.installationId, wait), () =>
    renewRefused(context, refused),
  );
}

function limitsOf(
  { timer, policy }: TokenContext,
  installationId: string,
  { signal, timeoutMs }: WaitOptions,
): CallLimits {
  return {
    installationId,
    signal,
    endsAt: timer.monotonic() + (timeoutMs ?? policy.callTimeoutMs),
  };
}

async function drain(context: TokenContext): Promise<void> {
  const { policy, closing } = context;
  await endWithin(context, policy.drainMs);
  closing.abort();
  // From here on, what runs ends by itself, at most with one write that it leaves behind.
  await settleRunning(context);
  await endWithin(context, lastWritesMs);
}

/** Waits until no work is left, also none that other work has left behind, or for this time. */
async function endWithin(context: TokenContext, ms: number): Promise<void> {
  const { flights, background, timer } = context;
  const settleAll = async () => {
    while (flights.size + background.size > 0) await settleRunning(context);
  };
  const patience = new AbortController();
  await Promise.race([settleAll(), pause(timer, ms, patience.signal)]);
  patience.abort();
}

async function settleRunning({ flights, background }: TokenContext): Promise<void> {
  const renewals = [...flights.values()].map(({ renewal }) => renewal);
  await Promise.allSettled([...renewals, ...background]);
}
