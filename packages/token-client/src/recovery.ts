/**
 * From a dead grant to a living one: one trigger per back-off step over all processes (Spec §4.3), and
 * a wait for the tokens that its event brings, whoever stores them.
 */
import type { GrantVersion } from '@dowel/installation-store';
import { LRUCache } from 'lru-cache';
import { newerGrant, type Renewal, record, type TokenContext } from './context.ts';
import { comeAgain } from './errors.ts';
import { createLine } from './line.ts';
import { triggerPauseMs } from './policy.ts';
import { requestNewEvent } from './trigger.ts';

export type TriggerResult =
  /** Sent, and the platform took it. */
  | { taken: true }
  | NotTaken
  /** Not sent: one was sent just before, or another token set is stored. */
  | undefined;

interface NotTaken {
  taken: false;
  reason: string;
  retryInMs: number;
}

export function createRecovery(context: TokenContext) {
  const { store, cache, policy, now, timer, random, observe } = context;
  const inLine = createLine(policy.triggersAtOnce);
  /** Per token set, until when, on the timer, a trigger that was not taken speaks for itself. */
  const refused = new LRUCache<string, { tokenVersion: number; until: number; reason: string }>({
    max: policy.maxGrants,
  });
  /** Until there are newer tokens, none of these is sent; nor, once the database knows, told to it. */
  const deaths = new LRUCache<string, Death>({ max: policy.maxGrants });

  /** Sends one trigger if one is due. @throws what the store throws. */
  async function trigger(version: GrantVersion): Promise<TriggerResult> {
    const source = await loadTrigger(version.installationId);
    if (typeof source === 'string') return claimAndSend(version, source);
    const endsAt = timer.monotonic() + policy.waitMs;
    // In line before it is claimed: the claim is over when its pause is. Nobody waits there for ever.
    return inLine(source.baseUrl, async () =>
      timer.monotonic() > endsAt ? undefined : claimAndSend(version, source),
    );
  }

  async function claimAndSend(
    version: GrantVersion,
    source: Awaited<ReturnType<typeof loadTrigger>>,
  ): Promise<TriggerResult> {
    const { installationId, tokenVersion } = version;
    const claim = await store.renewals.claimTrigger(version, (sent) =>
      triggerPauseMs(policy, { sent, isSettled: false, random }),
    );
    if (claim.outcome === 'moved') return undefined;
    if (claim.outcome === 'too_early') return recentRefusal(version);
    const startedAt = now();
    const isUnsendable = typeof source === 'string';
    const reason = isUnsendable
      ? source
      : await requestNewEvent(source, { ...context, timeoutMs: policy.triggerTimeoutMs });
    await record(context, version, { operation: 'trigger', startedAt, reason });
    observe({ type: 'triggered', installationId, reason });
    // What was taken, or never can be, is not tried again soon.
    const isSettled = reason === null || isUnsendable;
    const retryInMs = triggerPauseMs(policy, { sent: claim.sent, isSettled, random });
    if (isSettled) await store.renewals.delayTrigger(version, retryInMs);
    if (reason === null) {
      refused.delete(installationId);
      return { taken: true };
    }
    refused.set(installationId, { tokenVersion, until: timer.monotonic() + retryInMs, reason });
    return { taken: false, reason, retryInMs };
  }

  async function loadTrigger(installationId: string) {
    try {
      return (await store.renewals.loadTrigger(installationId)) ?? 'no_trigger_event';
    } catch (error) {
      if ((error as { code?: unknown }).code === 'SECRET_INTEGRITY') return 'secret_integrity';
      throw error;
    }
  }

  function recentRefusal({ installationId, tokenVersion }: GrantVersion): NotTaken | undefined {
    const last = refused.peek(installationId);
    if (!last) return undefined;
    const retryInMs = last.until - timer.monotonic();
    if (last.tokenVersion === tokenVersion && retryInMs > 0) {
      return { taken: false, reason: last.reason, retryInMs };
    }
    refused.delete(installationId);
    return undefined;
  }

  function deathOf({ installationId, tokenVersion }: GrantVersion): Death | undefined {
    const death = deaths.peek(installationId);
    return death?.tokenVersion === tokenVersion ? death : undefined;
  }

  function remember({ installationId, tokenVersion }: GrantVersion, reason: string): Death {
    const death = { tokenVersion, reason, isTold: false };
    deaths.set(installationId, death);
    return death;
  }

  async function isCurrent({ installationId, tokenVersion }: GrantVersion): Promise<boolean> {
    return (await store.grants.findVersion(installationId))?.tokenVersion === tokenVersion;
  }

  return {
    trigger,

    /** Why the grant is dead, as far as this process knows. */
    diedOf: (version: GrantVersion): string | undefined => deathOf(version)?.reason,

    /**
     * Marks the grant as dead for `reason` and resolves with the one that replaces it.
     *
     * @throws TokenClientError `TOKEN_UNAVAILABLE`, at once when the platform does not take the trigger.
     */
    async recover(version: GrantVersion, reason: string, waitMs: number): Promise<Renewal> {
      const { installationId } = version;
      const death = deathOf(version) ?? remember(version, reason);
      if (!death.isTold) {
        const diedOf = await store.transaction(({ grants }) =>
          grants.markAwaitingEvent(version, reason, now()),
        );
        if (diedOf === undefined) {
          return { grant: await cache.readAnew(installationId), isFound: true };
        }
        death.isTold = true;
        observe({ type: 'parked', installationId, reason: diedOf });
      }
      const refusal = recentRefusal(version);
      if (refusal && (await isCurrent(version))) throw notTaken(refusal);
      const waiting = new AbortController();
      const arrival = newerGrant(context, version, { ms: waitMs, signal: waiting.signal });
      // The event may come before the trigger is answered.
      const sent = trigger(version).then((result) => {
        if (result?.taken === false) throw notTaken(result);
        return arrival;
      });
      arrival.catch(() => {});
      sent.catch(() => {});
      const renewal = await Promise.race([arrival, sent]).finally(() => waiting.abort());
      if (renewal) return renewal;
      throw comeAgain(
        'TOKEN_UNAVAILABLE',
        'The new access_token event has not arrived in time',
        policy.trigger.takenMs,
      );
    },
  };
}

interface Death {
  tokenVersion: number;
  reason: string;
  isTold: boolean;
}

export type Recovery = ReturnType<typeof createRecovery>;

function notTaken({ reason, retryInMs }: NotTaken): Error {
  const message = `The platform did not take the trigger: ${reason}`;
  return comeAgain('TOKEN_UNAVAILABLE', message, retryInMs);
}
