/**
 * access_token events: the code is exchanged inside the answer (Spec §4.1), by the one process that
 * has the event claimed. No connection is held while the token endpoint is asked.
 */
import { randomUUID } from 'node:crypto';
import type { Store, Stores, TokenOperationEntry } from '@dowel/installation-store';
import type { AccessTokenEvent } from '@dowel/schema';
import {
  exchangeTimeoutMs,
  pause,
  type Timer,
  type TokenClient,
  TokenRequestError,
} from '@dowel/token-client';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type Arrival, type Delivery, isDelivery, keyOf, locate, record } from './delivery.ts';
import {
  accepted,
  type EventAnswer,
  refuse,
  repeatAnswer,
  retryLater,
  superseded,
} from './event-answer.ts';
import { orderOf } from './judge-event.ts';

export interface ExchangeOptions {
  store: Store;
  tokenClient: Pick<TokenClient, 'acceptEvent'>;
  requestedScopes: string[];
  essentialScopes: string[];
  exchangesPerMinute: number;
  now: () => number;
  timer: Timer;
}

/**
 * Longer than an exchange takes, with three seconds to begin it; after it, a process that died in one
 * has lost its claim.
 */
const claimMs = 15_000;
/** Of a claim, for the answer to be stored. */
const storingMs = 2_000;
/** Less than the 30 s that the platform waits. */
export const patienceMs = 20_000;
const pollMs = 100;
/** Every so many polls the claim is tried: its holder may have died. */
const pollsPerClaim = 10;

/** Refusals in memory, until the database is told. */
const maxRefused = 10_000;

const answers = { stored: accepted, superseded, ended: refuse('after_uninstall') };

interface Claimed extends Delivery<AccessTokenEvent> {
  claimedAt: { monotonic: number; now: number };
}

/** Another process took the event over while this one was away. */
class ClaimLostError extends Error {}

export function createExchange(options: ExchangeOptions) {
  const { store, tokenClient, requestedScopes, essentialScopes, exchangesPerMinute } = options;
  const { now, timer } = options;
  const owner = randomUUID();
  const limiter = new RateLimiterMemory({ points: exchangesPerMinute, duration: 60 });
  /** By installation and digest: refusals, though the database may have been away when it was to be told. */
  const refused = new LRUCache<string, EventAnswer>({ max: maxRefused });

  async function exchange(
    arrival: Arrival<AccessTokenEvent>,
    endsAt = timer.monotonic() + patienceMs,
  ): Promise<EventAnswer> {
    const opened = await store.transaction((stores) => open(stores, arrival));
    if (opened === undefined) return awaitVerdict(arrival, endsAt);
    if (!isDelivery(opened)) return opened;
    return decide(opened).catch((error: unknown) => {
      if (error instanceof ClaimLostError) return exchange(arrival, endsAt);
      throw error;
    });
  }

  async function decide(delivery: Claimed): Promise<EventAnswer> {
    const known = refused.get(keyOfEvent(delivery));
    if (known) return conclude(delivery, known);
    if (!(await mayExchange(delivery))) return close(delivery, retryLater('rate_limited'));
    const startedAt = now();
    try {
      return await redeem(delivery);
    } catch (error) {
      const answer = answerFor(error);
      const reason = error instanceof TokenRequestError ? error.reason : answer.reason;
      return conclude(delivery, answer, operationOf(delivery, { startedAt, reason }));
    }
  }

  /** A definitive no is remembered until the database knows it: its code is presented no more. */
  async function conclude(
    delivery: Claimed,
    answer: EventAnswer,
    operation?: TokenOperationEntry,
  ): Promise<EventAnswer> {
    const key = keyOfEvent(delivery);
    if (answer.retryAfterSeconds === undefined) refused.set(key, answer);
    const told = await close(delivery, answer, operation);
    refused.delete(key);
    return told;
  }

  /**
   * Claims the event. Resolves with the answer when there is nothing left to do, and with undefined
   * while another process decides it.
   */
  async function open(
    stores: Stores,
    arrival: Arrival<AccessTokenEvent>,
  ): Promise<EventAnswer | Claimed | undefined> {
    const delivery = await locate(stores, arrival);
    if (!isDelivery(delivery)) return delivery;
    const key = { installationId: delivery.installation.id, digest: arrival.digest };
    const claimedAt = { monotonic: timer.monotonic(), now: now() };
    const { receivedAt, event } = arrival;
    const claim = { owner, claimMs, receivedAt, codeIat: event.iat };
    if (!(await stores.inbox.claim(key, claim))) {
      // Its code is being exchanged for the life before, and begins no other.
      if (delivery.isRevival)
        await stores.installations.giveUp(delivery.installation, arrival.digest);
      return undefined;
    }
    const { judgement, installation } = delivery;
    // A copy that was signed earlier, of the code that began this life.
    if (event.iat < installation.beganIat) {
      await stores.installations.antedate(installation, arrival.digest, event.iat);
    }
    return judgement ? settle(stores, delivery, judgement) : { ...delivery, claimedAt };
  }

  /** A process that slept must not spend a code that another has exchanged since. */
  function assertClaimed({ claimedAt }: Claimed): void {
    const sinceMs = Math.max(timer.monotonic() - claimedAt.monotonic, now() - claimedAt.now);
    if (sinceMs > claimMs - exchangeTimeoutMs - storingMs) {
      throw new TokenRequestError('lease_lapsed');
    }
  }

  async function mayExchange({ installation }: Delivery): Promise<boolean> {
    return limiter.consume(installation.id).then(
      () => true,
      () => false,
    );
  }

  /** Another process decides the event; its verdict is ours, or its claim when it dies. */
  async function awaitVerdict(
    arrival: Arrival<AccessTokenEvent>,
    endsAt: number,
  ): Promise<EventAnswer> {
    for (let polls = 1; timer.monotonic() < endsAt; polls += 1) {
      await pause(timer, pollMs);
      const known = await store.installations.find(keyOf(arrival.event));
      const key = known && { installationId: known.id, digest: arrival.digest };
      const verdict = key && (await store.inbox.findVerdict(key));
      if (verdict) return repeatAnswer(verdict);
      if (polls % pollsPerClaim === 0) return exchange(arrival, endsAt);
    }
    return retryLater('in_progress');
  }

  /** 201 only when the tokens are stored and the essential scopes granted. */
  async function redeem(delivery: Claimed): Promise<EventAnswer> {
    const { event, installation } = delivery;
    const { result } = await tokenClient.acceptEvent(installation, event, {
      requestedScopes,
      order: orderOf(event),
      essentialScopes,
      beforeSend: () => assertClaimed(delivery),
      commit: (stores, { outcome }) => settleOutcome(stores, delivery, outcome),
    });
    // The code was not sent: the event begins its own life now.
    if (result === undefined) throw new ClaimLostError();
    return result;
  }

  /** Undefined: its life ended before the code was sent, but the event was signed after that end. */
  async function settleOutcome(
    stores: Stores,
    delivery: Claimed,
    outcome: keyof typeof answers,
  ): Promise<EventAnswer | undefined> {
    const { installation, event, digest } = delivery;
    const current = outcome === 'ended' ? await stores.installations.get(installation.id) : null;
    if (current && event.iat > (current.endedIat ?? event.iat)) {
      await stores.inbox.release({ installationId: installation.id, digest }, owner);
      return undefined;
    }
    // The tokens are here: who came later must not spend their code again.
    return settle(stores, delivery, answers[outcome], null);
  }

  /** Ends the claim without tokens. */
  function close(
    delivery: Delivery,
    answer: EventAnswer,
    operation?: TokenOperationEntry,
  ): Promise<EventAnswer> {
    return store.transaction(async (stores) => {
      if (operation) await stores.events.recordTokenOperation(operation);
      return settle(stores, delivery, answer);
    });
  }

  /**
   * Decides the event for good, or gives it back when it may come again.
   *
   * @param claimant null: whoever has it claimed by now.
   * @throws ClaimLostError, which undoes the transaction: another has decided it, or has the claim.
   */
  async function settle(
    stores: Stores,
    delivery: Delivery,
    answer: EventAnswer,
    claimant: string | null = owner,
  ): Promise<EventAnswer> {
    const key = { installationId: delivery.installation.id, digest: delivery.digest };
    // Locks the installation before the inbox, as an uninstall does that retires codes.
    await stores.installations.get(key.installationId);
    if (answer.retryAfterSeconds !== undefined) {
      await stores.inbox.release(key, owner);
      return record(stores, delivery, answer, now());
    }
    if (!(await stores.inbox.settle(key, claimant, answer))) {
      const verdict = await stores.inbox.findVerdict(key);
      // An uninstall that came meanwhile has retired the code with the same answer.
      const isRetired = answer === answers.ended && verdict?.reason === answer.reason;
      if (!isRetired) throw new ClaimLostError();
    }
    // An event that began a life over a tombstone and is refused has begun none.
    if (answer.status !== 201) {
      await stores.installations.giveUp(delivery.installation, delivery.digest);
    }
    return record(stores, delivery, answer, now());
  }

  function operationOf(
    { installation }: Delivery,
    { startedAt, reason }: Pick<TokenOperationEntry, 'startedAt' | 'reason'>,
  ): TokenOperationEntry {
    return {
      installationId: installation.id,
      operation: 'exchange',
      startedAt,
      durationMs: now() - startedAt,
      succeeded: reason === null,
      tokenVersion: null,
      reason,
    };
  }

  return (arrival: Arrival<AccessTokenEvent>) => exchange(arrival);
}

const keyOfEvent = ({ installation, digest }: Delivery) => `${installation.id} ${digest}`;

function answerFor(error: unknown): EventAnswer {
  if (!(error instanceof TokenRequestError)) throw error;
  switch (error.reason) {
    case 'scope_missing':
    case 'token_tenant_mismatch':
    case 'token_response_invalid':
      return refuse(error.reason);
    case 'address_not_allowed':
      return refuse('base_url_not_allowed');
    default:
      return error.rejected ? refuse('exchange_rejected') : retryLater('exchange_failed');
  }
}
