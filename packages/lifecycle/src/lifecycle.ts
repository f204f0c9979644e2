/**
 * Applies verified events to installations (Spec §3, §6). An event is decided once, by whichever
 * process claims it in the inbox; its verdict is stored in the transaction that applies it, and every
 * further delivery is answered alike and changes nothing. Why: docs/decisions/0010-reception-of-events.md.
 */
import type { Store } from '@dowel/installation-store';
import type { LifecycleEvent } from '@dowel/schema';
import { pause, systemTimer, type Timer, type TokenClient } from '@dowel/token-client';
import { applyEvent } from './apply-event.ts';
import { keyOf } from './delivery.ts';
import { type EventAnswer, retryLater } from './event-answer.ts';
import { eventDigest } from './event-digest.ts';
import { createExchange, patienceMs } from './exchange-event.ts';

export interface LifecycleOptions {
  store: Store;
  tokenClient: Pick<TokenClient, 'acceptEvent'>;
  /** The scopes the manifest asks for. */
  requestedScopes: string[];
  /** Without these the plug-in is of no use: the event is refused. Default: all requested ones. */
  essentialScopes?: string[];
  /** Exchanges that one installation may cause in a minute. Default 20. */
  exchangesPerMinute?: number;
  /** Epoch milliseconds. */
  now?: () => number;
  timer?: Timer;
}

/** More than an exchange takes, and less than the 30 s that the platform waits. */
const answerWithinMs = patienceMs + 5_000;

export type Lifecycle = ReturnType<typeof createLifecycle>;

export function createLifecycle({
  store,
  tokenClient,
  requestedScopes,
  essentialScopes = requestedScopes,
  exchangesPerMinute = 20,
  now = Date.now,
  timer = systemTimer,
}: LifecycleOptions) {
  const running = new Map<string, Promise<EventAnswer>>();
  const exchange = createExchange({
    store,
    tokenClient,
    requestedScopes,
    essentialScopes,
    exchangesPerMinute,
    now,
    timer,
  });

  function decide(event: LifecycleEvent, digest: string): Promise<EventAnswer> {
    const receivedAt = now();
    return event.sub === 'access_token'
      ? exchange({ event, digest, receivedAt })
      : applyEvent(store, { event, digest, receivedAt }, now);
  }

  async function inTime(answer: Promise<EventAnswer>): Promise<EventAnswer> {
    const answered = new AbortController();
    const late = pause(timer, answerWithinMs, answered.signal).then(() =>
      retryLater('in_progress'),
    );
    return Promise.race([answer, late]).finally(() => answered.abort());
  }

  return {
    /** Resolves when no event is being decided. */
    async drain(): Promise<void> {
      await Promise.allSettled(running.values());
    },

    /**
     * Applies a verified event and says what to answer, while the platform still listens. Copies that
     * arrive while the first is being decided get its answer; so does one that comes after an answer
     * that took too long.
     */
    accept(event: LifecycleEvent): Promise<EventAnswer> {
      const digest = eventDigest(event);
      const key = JSON.stringify([keyOf(event), digest]);
      const first = running.get(key);
      if (first) return inTime(first);
      const answer = decide(event, digest).finally(() => running.delete(key));
      running.set(key, answer);
      return inTime(answer);
    },
  };
}
