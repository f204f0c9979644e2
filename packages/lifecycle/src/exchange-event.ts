/**
 * access_token events: the code is exchanged before the event is answered (Spec §4.1), by the one
 * process that has the event's claim. No database connection is held during the token request.
 */
import { randomUUID } from 'node:crypto';
import type { OtherAddress, Stores, TokenOperationEntry } from '@dowel/installation-store';
import type { AccessTokenEvent } from '@dowel/schema';
import { type Acceptance, type TokenClient, TokenRequestError } from '@dowel/token-client';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { announceTokens, type ChangeOptions } from './announce-changes.ts';
import { orderOf } from './check-event.ts';
import type { Arrival, Delivery } from './delivery.ts';
import { accepted, type EventAnswer, refuse, retryLater, superseded } from './event-answer.ts';
import {
  type ClaimContext,
  type Claimed,
  decideByClaim,
  isRetired,
  mayStillDecide,
  mayStillExchange,
  releaseClaim,
  renewClaim,
  storeAnswer,
} from './event-claim.ts';

export interface ExchangeOptions extends Omit<ClaimContext, 'owner' | 'admissions'>, ChangeOptions {
  tokenClient: Pick<TokenClient<Stores>, 'acceptEvent'>;
  essentialScopes: string[];
  exchangesPerMinute: number;
  /** See `LifecycleOptions`. */
  isSamePlatform: (issuer: string, other: string) => boolean;
}

export interface ExchangeContext extends ExchangeOptions, ClaimContext {
  limiter: RateLimiterMemory;
  /** Refused events, by {@link keyOfEvent}, until their refusal is stored. */
  refused: LRUCache<string, EventAnswer>;
}

const maxRefused = 10_000;

const answers = { stored: accepted, superseded, ended: refuse('after_uninstall') };

/** Creates the state that all exchanges of one process share. */
export function createExchangeContext(options: ExchangeOptions): ExchangeContext {
  return {
    ...options,
    owner: randomUUID(),
    admissions: new Map(),
    limiter: new RateLimiterMemory({ points: options.exchangesPerMinute, duration: 60 }),
    // `max` would reserve all space at once.
    refused: new LRUCache({ maxSize: maxRefused, sizeCalculation: () => 1 }),
  };
}

/** Decides the event, or waits for the process that does. */
export function exchangeEvent(
  context: ExchangeContext,
  arrival: Arrival<AccessTokenEvent>,
): Promise<EventAnswer> {
  return decideByClaim(context, arrival, (claimed) => decide(context, claimed));
}

/** Undefined: the event needs another claim. */
async function decide(
  context: ExchangeContext,
  delivery: Claimed,
): Promise<EventAnswer | undefined> {
  const { refused, now } = context;
  const known = refused.get(keyOfEvent(delivery));
  if (known) return conclude(context, delivery, { answer: known });
  if (!(await mayExchange(context, delivery))) {
    return close(context, delivery, { answer: retryLater('rate_limited') });
  }
  const startedAt = now();
  try {
    return await exchangeForEvent(context, delivery);
  } catch (error) {
    const answer = answerFor(error);
    const reason = error instanceof TokenRequestError ? error.reason : answer.reason;
    const operation = operationOf(context, delivery, { startedAt, reason });
    return conclude(context, delivery, { answer, operation });
  }
}

function mayExchange({ limiter }: ExchangeContext, { installation }: Delivery): Promise<boolean> {
  return limiter.consume(installation.id).then(
    () => true,
    () => false,
  );
}

/**
 * Answers 201 only if the tokens are stored and the essential scopes granted. Undefined: another process has
 * decided the event, or it begins a life of its own.
 */
async function exchangeForEvent(
  context: ExchangeContext,
  delivery: Claimed,
): Promise<EventAnswer | undefined> {
  const { tokenClient, requestedScopes, essentialScopes } = context;
  const { event, installation } = delivery;
  const { result } = await tokenClient.acceptEvent(installation, event, {
    requestedScopes,
    order: orderOf(event),
    essentialScopes,
    mayBegin: (stores) => renewClaim(context, stores, delivery),
    mayStillSend: () => mayStillExchange(context, delivery),
    mayStore: (stores) => mayStillDecide(stores, delivery),
    commit: (stores, acceptance) => storeOutcome(context, stores, { delivery, acceptance }),
  });
  return result;
}

/** Undefined: another process has decided the event, or it begins a life of its own and its code was not sent. */
async function storeOutcome(
  context: ExchangeContext,
  stores: Stores,
  { delivery, acceptance }: { delivery: Claimed; acceptance: Acceptance },
): Promise<EventAnswer | undefined> {
  const { outcome } = acceptance;
  if (outcome === 'ended' && (await beginsNextLife(stores, delivery))) {
    await releaseClaim(context, stores, delivery);
    return undefined;
  }
  // The tokens have arrived, so no later claimant may send their code again.
  const answer = await storeAnswer(context, stores, {
    delivery,
    answer: answers[outcome],
    claimant: null,
  });
  if (!answer) return undefined;
  const { id, plugin, generation, awaitsAdmission } = delivery.installation;
  if (answer.status === 201 && awaitsAdmission) await stores.usability.admit(id, generation);
  await announceTokens(context, stores, { id, plugin, ...acceptance });
  if (outcome !== 'stored') return answer;
  const others = await findOlderAddresses(context, stores, delivery);
  return others.length === 0
    ? answer
    : { ...answer, olderAddresses: { installationId: id, others } };
}

function findOlderAddresses(
  { isSamePlatform }: ExchangeContext,
  { installations }: Stores,
  { installation, event }: Delivery<AccessTokenEvent>,
): Promise<OtherAddress[]> {
  return installations.noteMove(installation, {
    iat: event.iat,
    isSamePlatform: (issuer) => isSamePlatform(event.iss, issuer),
  });
}

/** The life of the claim has ended before the code was sent; the event was signed after that end, and so was its code. */
async function beginsNextLife(stores: Stores, delivery: Claimed): Promise<boolean> {
  const { installation, event } = delivery;
  const current = await stores.installations.get(installation.id);
  const isLater = current !== undefined && event.iat > (current.endedIat ?? event.iat);
  return isLater && !(await isRetired(stores, delivery));
}

interface Conclusion {
  answer: EventAnswer;
  operation?: TokenOperationEntry;
}

/** Remembers a refusal until the database has stored it, so that its code is not presented again. */
async function conclude(
  context: ExchangeContext,
  delivery: Claimed,
  conclusion: Conclusion,
): Promise<EventAnswer | undefined> {
  const { refused } = context;
  const key = keyOfEvent(delivery);
  if (conclusion.answer.retryAfterSeconds === undefined) refused.set(key, conclusion.answer);
  const settled = await close(context, delivery, conclusion);
  if (settled) refused.delete(key);
  return settled;
}

/** Ends the claim without tokens. */
function close(
  context: ExchangeContext,
  delivery: Claimed,
  { answer, operation }: Conclusion,
): Promise<EventAnswer | undefined> {
  return context.store.transaction(async (stores) => {
    const settled = await storeAnswer(context, stores, { delivery, answer });
    if (settled && operation) await stores.events.recordTokenOperation(operation);
    return settled;
  });
}

function operationOf(
  { now }: ExchangeContext,
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

function keyOfEvent({ installation, digest }: Delivery): string {
  return `${installation.id} ${digest}`;
}

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
