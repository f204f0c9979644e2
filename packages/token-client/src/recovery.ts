/**
 * From a dead grant to a living one: one trigger per interval (Spec §4.3), and a wait for the tokens
 * that its event brings, whoever stores them.
 */
import type { Grant, Store } from '@dowel/installation-store';
import type { TokenOperation } from '@dowel/schema';
import { TokenClientError } from './errors.ts';
import { loadGrant, newerGrant } from './newer-grant.ts';
import { requestNewEvent } from './trigger.ts';

export interface RecoveryOptions {
  store: Store;
  fetch: typeof fetch;
  now: () => number;
  requestTimeoutMs: number;
  /** How long a call waits for the event. */
  waitMs: number;
  record: (
    grant: Grant,
    operation: TokenOperation['operation'],
    startedAt: number,
    reason: string | null,
  ) => Promise<void>;
}

/** After a trigger that was taken, and after one that was not. */
const intervalMs = { taken: 30_000, failed: 5_000 };

export function createRecovery(options: RecoveryOptions) {
  const { store, fetch, now, requestTimeoutMs, waitMs, record } = options;
  const triggers = new Map<string, { at: number; failed: boolean }>();

  /** @throws TokenClientError `TOKEN_UNAVAILABLE` when this trigger, or one just before, was not taken. */
  async function trigger(grant: Grant): Promise<void> {
    const last = triggers.get(grant.installationId);
    const at = now();
    if (last && at - last.at < intervalMs[last.failed ? 'failed' : 'taken']) {
      if (last.failed) throw unavailable('The platform did not take the last trigger');
      return;
    }
    triggers.set(grant.installationId, { at, failed: false });
    const reason = await requestNewEvent(grant, fetch, requestTimeoutMs);
    await record(grant, 'trigger', at, reason);
    if (reason === null) return;
    triggers.set(grant.installationId, { at: now(), failed: true });
    throw unavailable(`The platform did not take the trigger: ${reason}`);
  }

  /** The first of: the new grant, a trigger that was not taken, the end of the wait. */
  async function awaitEvent(grant: Grant): Promise<Grant> {
    const waiting = new AbortController();
    const timeout = setTimeout(() => {
      waiting.abort(unavailable('The new access_token event has not arrived in time'));
    }, waitMs);
    try {
      const arrival = newerGrant(store, grant, waiting.signal);
      return await Promise.race([arrival, trigger(grant).then(() => arrival)]);
    } finally {
      clearTimeout(timeout);
      waiting.abort();
    }
  }

  /**
   * Marks the grant as dead for `reason` and resolves with the one that replaces it.
   *
   * @throws TokenClientError
   */
  return async (grant: Grant, reason: string): Promise<Grant> => {
    const { installationId } = grant;
    const isDead = await store.transaction(({ grants }) =>
      grants.markAwaitingEvent(grant, reason, now()),
    );
    if (!isDead) return loadGrant(store, installationId);
    try {
      const arrived = await awaitEvent(grant);
      triggers.delete(installationId);
      return arrived;
    } catch (error) {
      const isGone = error instanceof TokenClientError && error.code === 'GRANT_NOT_FOUND';
      if (isGone) triggers.delete(installationId);
      throw error;
    }
  };
}

function unavailable(message: string): TokenClientError {
  return new TokenClientError('TOKEN_UNAVAILABLE', message, {
    retryAfterSeconds: intervalMs.taken / 1000,
  });
}
