/**
 * Calls a tenant's platform with its access token and keeps that token fresh (Spec §5, "Token
 * handling rules"). A call remembers the version of the token it used: a 401 for an older version
 * only retries, a 401 for the current one joins or starts the installation's single renewal.
 */
import { randomUUID } from 'node:crypto';
import type { Grant, GrantVersion, Store } from '@dowel/installation-store';
import { defaultPlatformProfile, type PlatformProfile, type Secret } from '@dowel/schema';
import { createAcceptance } from './accept-event.ts';
import { type CallInit, callHeaders, createCallUrls, isReplayable } from './call-request.ts';
import type { Renewal, TokenContext } from './context.ts';
import { comeAgain, TokenClientError } from './errors.ts';
import { createGrantCache } from './grant-cache.ts';
import type { TokenObservation } from './observation.ts';
import { defaultPolicy, type TokenPolicy } from './policy.ts';
import { createRecovery } from './recovery.ts';
import { createRenewal, type RenewalCause } from './renewal.ts';
import { createSaveRefresh } from './save-tokens.ts';
import { pause, systemTimer, type Timer, withTimeout } from './timer.ts';
import { createTransport } from './transport.ts';

export interface TokenClientOptions {
  store: Store;
  profile?: PlatformProfile;
  /** Carries the calls. Default: undici, 32 connections for each origin. */
  fetch?: typeof fetch;
  /** Carries token and trigger requests, which must not queue at all. Default: undici, without a limit. */
  tokenFetch?: typeof fetch;
  /** Epoch milliseconds. */
  now?: () => number;
  timer?: Timer;
  /** From 0 to less than 1. */
  random?: () => number;
  policy?: Partial<TokenPolicy>;
  /** Hears of every refresh, trigger and recovery. */
  observe?: (observation: TokenObservation) => void;
}

/** An access token for a request that the caller sends himself. */
export interface AccessToken {
  accessToken: Secret;
  tokenVersion: number;
  /** Epoch milliseconds; null when the platform did not say. */
  expiresAt: number | null;
  /** The only origin that the token may be sent to. */
  baseUrl: string;
}

export interface WaitOptions {
  signal?: AbortSignal | null;
  timeoutMs?: number;
}

export type TokenClient = ReturnType<typeof createTokenClient>;

const healedAtOnce = 100;
/**
 * At most four attempts per call: cached token, stored token, refreshed token, and one more token when
 * that one was in doubt.
 */
const maxTries = 4;

export function createTokenClient(options: TokenClientOptions) {
  const { store, profile = defaultPlatformProfile, now = Date.now, timer = systemTimer } = options;
  const policy = { ...defaultPolicy, ...options.policy };
  const fetch = options.fetch ?? createTransport({ connectionsPerOrigin: 32, timeoutMs: 30_000 });
  const tokenFetch = options.tokenFetch ?? options.fetch ?? createTransport({ timeoutMs: 30_000 });
  const closing = new AbortController();
  const cache = createGrantCache(store, timer, policy);
  const context: TokenContext = {
    store,
    cache,
    profile,
    policy,
    fetch: tokenFetch,
    now,
    timer,
    random: options.random ?? Math.random,
    owner: randomUUID(),
    observe: (observation) => {
      try {
        options.observe?.(observation);
      } catch {
        // An observer's fault is not the call's.
      }
    },
    closing: closing.signal,
  };
  const background = new Set<Promise<unknown>>();
  const recovery = createRecovery(context);
  const renewGrant = createRenewal(context, recovery, createSaveRefresh(context, inBackground));
  const callUrl = createCallUrls(policy.maxUrls);
  const flights = new Map<string, Flight>();
  let waitingCalls = 0;

  const renewals = () => [...flights.values()].map(({ renewal }) => renewal);

  function inBackground(work: Promise<unknown>): void {
    const tracked = work.catch(() => {}).finally(() => background.delete(tracked));
    background.add(tracked);
  }

  /** One renewal per installation, however many calls need it. */
  function renew(used: Grant, cause: RenewalCause): Promise<Renewal> {
    const { installationId, tokenVersion } = used;
    const running = flights.get(installationId);
    if (running) {
      if (cause === 'refused') running.isRefused = true;
      return running.renewal.then(
        // It may have begun for an older one, and end with the very one that was refused.
        (renewal) => (renewal.grant.tokenVersion > tokenVersion ? renewal : renew(used, cause)),
        (error: unknown) => {
          // It took a token for alive that the platform has refused since: there is more to try.
          if (cause === 'refused' && running.cause === 'expiring') return renew(used, cause);
          throw error;
        },
      );
    }
    const known = cache.peek(installationId);
    if (known && known.tokenVersion > tokenVersion) {
      return Promise.resolve({ grant: known, isFound: true });
    }
    return fly(used, cause, () => renewGrant(used, cause));
  }

  /** A damaged secret harms its own installation only, and a new event heals it. */
  function fly(
    version: GrantVersion,
    cause: RenewalCause,
    start: () => Promise<Renewal>,
  ): Promise<Renewal> {
    const { installationId } = version;
    const renewal = start()
      .catch((error: unknown) => {
        if (!isDamaged(error)) throw error;
        return recovery.recover(version, 'secret_integrity', policy.waitMs);
      })
      .finally(() => flights.delete(installationId));
    const startedAt = timer.monotonic();
    flights.set(installationId, { renewal, startedAt, cause, isRefused: cause === 'refused' });
    return renewal;
  }

  async function load(installationId: string): Promise<Grant> {
    try {
      return await cache.read(installationId);
    } catch (error) {
      const version = isDamaged(error) && (await store.grants.findVersion(installationId));
      if (version) {
        const running = flights.get(installationId)?.renewal;
        const healing = running ?? fly(version, 'refused', () => Promise.reject(error));
        return (await healing).grant;
      }
      // While the database is away, a living token serves.
      const known = cache.peek(installationId);
      if (known && !(error instanceof TokenClientError) && isAlive(known)) return known;
      throw error;
    }
  }

  function isAlive(grant: Grant): boolean {
    if (recovery.diedOf(grant) !== undefined) return false;
    return grant.expiresAt === null || now() < grant.expiresAt;
  }

  function isFresh(grant: Grant): boolean {
    const { issuedAt, expiresAt } = grant;
    if (!isAlive(grant)) return false;
    if (expiresAt === null) return true;
    const marginMs = Math.min(policy.expiryMarginMs, (expiresAt - issuedAt) / 2);
    return now() < expiresAt - marginMs;
  }

  /** The grant in memory, when nothing needs to be asked. */
  function warmGrant(installationId: string): Grant | undefined {
    if (flights.size > 0 && flights.has(installationId)) return undefined;
    const grant = cache.recent(installationId);
    return grant && isFresh(grant) ? grant : undefined;
  }

  /** The renewal's token; the living one when the renewal takes long and nobody has refused that one. */
  async function renewedOrLiving(
    installationId: string,
    renewal: Promise<Renewal>,
  ): Promise<Grant> {
    const flight = flights.get(installationId);
    const known = cache.peek(installationId);
    if (!flight || !known || !isAlive(known)) return (await renewal).grant;
    const waiting = new AbortController();
    const untilMs = flight.startedAt + policy.livingWaitMs - timer.monotonic();
    const over = pause(timer, Math.max(0, untilMs), waiting.signal);
    const first = await Promise.race([renewal, over]).finally(() => waiting.abort());
    if (first) return first.grant;
    return flight.isRefused || !isAlive(known) ? (await renewal).grant : known;
  }

  /** Waits while a renewal runs, and starts one when the token is about to expire. */
  async function usableGrant(installationId: string): Promise<Grant> {
    const flight = flights.get(installationId);
    const grant = flight ? undefined : await load(installationId);
    if (grant && isFresh(grant)) return grant;
    try {
      const renewal = grant ? renew(grant, 'expiring') : (flight as Flight).renewal;
      return await renewedOrLiving(installationId, renewal);
    } catch (error) {
      // A fault that may pass costs nothing while the token in hand lives.
      const known = grant ?? cache.peek(installationId);
      const mayPass = !(error instanceof TokenClientError) || error.code === 'REFRESH_FAILED';
      if (mayPass && known && isAlive(known)) return known;
      throw error;
    }
  }

  /** Lets a call wait for tokens, as long as it wants to. */
  async function wait<Result>(
    waitFor: () => Promise<Result>,
    { signal, endsAt }: { signal: AbortSignal | null | undefined; endsAt: number },
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (waitingCalls >= policy.maxWaitingCalls) {
      throw comeAgain('TOO_MANY_WAITING', 'Too many calls wait for tokens', policy.waitMs);
    }
    waitingCalls += 1;
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    signal?.addEventListener('abort', leave);
    const ms = Math.max(0, endsAt - timer.monotonic());
    try {
      const left = pause(timer, ms, leaving.signal).then(() => {
        signal?.throwIfAborted();
        throw comeAgain('TOKEN_UNAVAILABLE', 'No token was to be had in time', 1_000);
      });
      left.catch(() => {});
      return await Promise.race([waitFor(), left]);
    } finally {
      waitingCalls -= 1;
      signal?.removeEventListener('abort', leave);
      leave();
    }
  }

  async function send(
    grant: Grant,
    path: string,
    init: CallInit,
    endsAt: number,
  ): Promise<Response> {
    const url = callUrl(grant.baseUrl, path);
    const headers = callHeaders(init.headers, grant);
    const ms = endsAt - timer.monotonic();
    const reason = () => comeAgain('CALL_TIMED_OUT', 'The call took too long', 1_000);
    return withTimeout(timer, { ms, reason }, (inTime) => {
      // The caller's own signal goes on to the body.
      const signal = init.signal ? AbortSignal.any([inTime, init.signal]) : inTime;
      return fetch(url, { ...(init as RequestInit), headers, redirect: 'error', signal });
    });
  }

  return {
    ...createAcceptance(context, inBackground),

    /**
     * Resolves when nothing is under way: every renewal has ended, and every token that was received
     * is stored. Who still waits after `drainMs`, for an event or for the database, is sent away; so is
     * whoever would have to wait later.
     */
    async drain(): Promise<void> {
      const settled = () => Promise.allSettled([...renewals(), ...background]);
      const patience = new AbortController();
      await Promise.race([settled(), pause(timer, policy.drainMs, patience.signal)]);
      patience.abort();
      closing.abort();
      await settled();
    },

    /**
     * Sends the triggers that are due, whoever failed to: installations heal though nobody calls. Run it
     * every few seconds, in any number of processes.
     *
     * @returns how many were taken.
     */
    async heal(): Promise<number> {
      const due = await store.renewals.listDue(healedAtOnce);
      const results = await Promise.allSettled(due.map((version) => recovery.trigger(version)));
      return results.filter((each) => each.status === 'fulfilled' && each.value?.taken).length;
    },

    /** @throws TokenClientError */
    async getAccessToken(
      installationId: string,
      { signal, timeoutMs = policy.callTimeoutMs }: WaitOptions = {},
    ): Promise<AccessToken> {
      const endsAt = timer.monotonic() + timeoutMs;
      const grant =
        warmGrant(installationId) ??
        (await wait(() => usableGrant(installationId), { signal, endsAt }));
      const { accessToken, tokenVersion, expiresAt, baseUrl } = grant;
      return { accessToken, tokenVersion, expiresAt, baseUrl };
    },

    /**
     * The platform answered 401 to this version of the access token: it is renewed, unless it was
     * already. `getAccessToken` waits for that.
     *
     * @throws TokenClientError
     */
    async invalidate(
      installationId: string,
      tokenVersion: number,
      { signal, timeoutMs = policy.callTimeoutMs }: WaitOptions = {},
    ): Promise<void> {
      const endsAt = timer.monotonic() + timeoutMs;
      await wait(() => renewRefused(installationId, tokenVersion), { signal, endsAt });
    },

    /**
     * Calls the tenant's platform with its access token; on 401 renews the token and tries once more.
     * A 401 of the renewed token is the caller's: the platform refuses a fresh token. One that was only
     * found, because it had been stored before, may be void as well, and so may one in doubt, which a late
     * request revokes: they are renewed in their turn.
     *
     * @param path relative to the tenant's `base_url`; the token goes nowhere else.
     * @throws TokenClientError; what the transport throws.
     */
    async fetch(installationId: string, path: string, init: CallInit = {}): Promise<Response> {
      const { signal, timeoutMs = policy.callTimeoutMs } = init;
      const endsAt = timer.monotonic() + timeoutMs;
      const limits = { signal, endsAt };
      let grant =
        warmGrant(installationId) ?? (await wait(() => usableGrant(installationId), limits));
      let isFresh = false;
      for (let tries = 1; ; tries += 1) {
        const response = await send(grant, path, init, endsAt);
        if (response.status !== 401 || isFresh || tries === maxTries) return response;
        const { tokenVersion } = grant;
        const renewed = () => renewRefused(installationId, tokenVersion);
        if (!isReplayable(init.body)) {
          inBackground(renewed());
          return response;
        }
        await response.body?.cancel();
        const renewal = await wait(renewed, limits);
        ({ grant } = renewal);
        isFresh = !renewal.isFound && !grant.isInDoubt;
      }
    },
  };

  async function renewRefused(installationId: string, tokenVersion: number): Promise<Renewal> {
    const known = cache.peek(installationId) ?? (await load(installationId));
    if (known.tokenVersion !== tokenVersion) return { grant: known, isFound: true };
    return renew(known, 'refused');
  }
}

/** The one renewal of an installation that runs in this process. */
interface Flight {
  renewal: Promise<Renewal>;
  /** On the timer. */
  startedAt: number;
  /** Why it began. */
  cause: RenewalCause;
  /** The platform has refused the token that is renewed: it serves nobody any more. */
  isRefused: boolean;
}

function isDamaged(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'SECRET_INTEGRITY';
}
