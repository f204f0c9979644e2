/** What the parts of one token client share. */
import type { Grant, GrantVersion, Store } from '@dowel/installation-store';
import type { PlatformProfile, TokenOperation } from '@dowel/schema';
import type { GrantCache } from './grant-cache.ts';
import type { TokenObservation } from './observation.ts';
import type { TokenPolicy } from './policy.ts';
import { pause, type Timer } from './timer.ts';

/** The token set that replaces one the platform refused, or that is about to expire. */
export interface Renewal {
  grant: Grant;
  /** It was stored before anybody knew of the refusal: the platform may refuse it as well. */
  isFound: boolean;
}

export interface TokenContext {
  store: Store;
  cache: GrantCache;
  profile: PlatformProfile;
  policy: TokenPolicy;
  /** Of token and trigger requests. */
  fetch: typeof fetch;
  /** Epoch milliseconds. */
  now: () => number;
  timer: Timer;
  /** From 0 to less than 1. */
  random: () => number;
  /** This process, in leases. */
  owner: string;
  observe: (observation: TokenObservation) => void;
  /** Aborted when the client is drained: nobody waits any more. */
  closing: AbortSignal;
}

/**
 * Resolves when the installation was changed, and after a short pause in any case: another process
 * may have changed it.
 */
export async function changeOrPause(
  { store, timer, random, closing, policy: { poll } }: TokenContext,
  installationId: string,
  { polls, untilMs }: { polls: number; untilMs: number },
): Promise<void> {
  const waking = new AbortController();
  const wake = () => waking.abort();
  closing.addEventListener('abort', wake);
  const stop = store.onChange((id) => {
    if (id === installationId) wake();
  });
  const ceiling = Math.min(poll.maxMs, poll.minMs * 2 ** Math.min(polls, 10));
  const jittered = ceiling * (0.5 + random() / 2);
  await pause(timer, Math.max(1, Math.min(jittered, untilMs)), waking.signal);
  closing.removeEventListener('abort', wake);
  stop();
}

/**
 * The first token set other than `version`, whoever stores it, and found if it is there at the first
 * look; undefined after `ms`, or when nobody waits for it any more.
 *
 * @throws TokenClientError `GRANT_NOT_FOUND` when the installation is removed meanwhile.
 */
export async function newerGrant(
  context: TokenContext,
  version: GrantVersion,
  { ms, signal }: { ms: number; signal?: AbortSignal },
): Promise<Renewal | undefined> {
  const { cache, store, timer, closing } = context;
  const { installationId } = version;
  const endsAt = timer.monotonic() + ms;
  for (let polls = 0; ; polls += 1) {
    const current = await store.grants.findVersion(installationId);
    if (current?.tokenVersion !== version.tokenVersion) {
      return { grant: await cache.readAnew(installationId), isFound: polls === 0 };
    }
    const untilMs = endsAt - timer.monotonic();
    if (untilMs <= 0 || closing.aborted || signal?.aborted) return undefined;
    await changeOrPause(context, installationId, { polls, untilMs });
  }
}

/** Puts a request that brought no tokens into the history; a history that cannot be written stops nobody. */
export async function record(
  { store, now }: TokenContext,
  { installationId }: GrantVersion,
  entry: {
    operation: TokenOperation['operation'];
    startedAt: number;
    reason: string | null;
  },
): Promise<void> {
  const { operation, startedAt, reason } = entry;
  await store.events
    .recordTokenOperation({
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
