/**
 * The claim of an access_token event: the right of one process to decide it. The claim lapses by itself,
 * so that another process can take over when its holder dies.
 */
import { pause, type Timer } from '@dowel/http';
import type { Store, Stores } from '@dowel/installation-store';
import type { AccessTokenEvent } from '@dowel/schema';
import { exchangeTimeoutMs, type Moment, momentOf, remainingMs } from '@dowel/token-client';
import { type Arrival, type Delivery, isDelivery, keyOf, locate, record } from './delivery.ts';
import { type EventAnswer, repeatAnswer, retryLater } from './event-answer.ts';

export interface ClaimContext {
  store: Store;
  /** This process, in claims. */
  owner: string;
  /** Epoch milliseconds. */
  now: () => number;
  timer: Timer;
}

/** An event that this process may decide. */
export interface Claimed extends Delivery<AccessTokenEvent> {
  claimedAt: Moment;
}

/** Longer than an exchange, which so has three seconds to begin. */
const claimMs = 15_000;
/** The last part of a claim, in which the answer is stored. */
const storingMs = 2_000;
const pollMs = 100;
/** After so many polls, the process tries to claim the event: the holder may have died. */
const pollsPerClaim = 10;

/**
 * Claims the event. Resolves with the answer when there is nothing left to do, and with undefined
 * while another process decides it.
 */
export function claimEvent(
  context: ClaimContext,
  arrival: Arrival<AccessTokenEvent>,
): Promise<EventAnswer | Claimed | undefined> {
  return context.store.transaction((stores) => open(context, stores, arrival));
}

async function open(
  context: ClaimContext,
  stores: Stores,
  arrival: Arrival<AccessTokenEvent>,
): Promise<EventAnswer | Claimed | undefined> {
  const delivery = await locate(stores, arrival);
  if (!isDelivery(delivery)) return delivery;
  const { judgement, installation, isRevival } = delivery;
  const { event, digest, receivedAt } = arrival;
  const key = { installationId: installation.id, digest };
  const claimedAt = momentOf(context);
  const claim = { owner: context.owner, claimMs, receivedAt, codeIat: event.iat };
  if (!(await stores.inbox.claim(key, claim))) {
    // Its code is being exchanged for the previous life, and begins no other.
    if (isRevival) await stores.installations.giveUp(installation, digest);
    return undefined;
  }
  // An earlier signed copy of the event whose code began this life.
  if (event.iat < installation.beganIat) {
    await stores.installations.antedate(installation, digest, event.iat);
  }
  if (!judgement) return { ...delivery, claimedAt };
  return settle(context, stores, { delivery, answer: judgement });
}

/**
 * True while the claim lasts long enough for an exchange and the storing of its answer. After a sleep,
 * another process may have exchanged the code.
 */
export function mayStillExchange(context: ClaimContext, { claimedAt }: Claimed): boolean {
  const right = { since: claimedAt, lastsMs: claimMs - storingMs };
  return remainingMs(context, right) >= exchangeTimeoutMs;
}

/**
 * Waits for the verdict of the process that has the claim, until `endsAt` on the timer. Undefined: the
 * claim may have lapsed.
 */
export async function awaitVerdict(
  { store, timer }: ClaimContext,
  { event, digest }: Arrival<AccessTokenEvent>,
  endsAt: number,
): Promise<EventAnswer | undefined> {
  for (let polls = 0; polls < pollsPerClaim; polls += 1) {
    if (timer.monotonic() >= endsAt) return retryLater('in_progress');
    await pause(timer, pollMs);
    const known = await store.installations.find(keyOf(event));
    const verdict = known && (await store.inbox.findVerdict({ installationId: known.id, digest }));
    if (verdict) return repeatAnswer(verdict);
  }
  return undefined;
}

/** Gives the claim back: another delivery may decide the event. */
export async function releaseClaim(
  { owner }: ClaimContext,
  { inbox }: Stores,
  { installation, digest }: Delivery,
): Promise<void> {
  await inbox.release({ installationId: installation.id, digest }, owner);
}

interface Settlement {
  delivery: Delivery;
  answer: EventAnswer;
  /** Null: any process may have the claim. Default: this process must have it. */
  claimant?: null;
}

/**
 * Decides the event for good, or releases the claim when the event may succeed later. Undefined, and
 * nothing is written: another process has decided the event, or has the claim.
 */
export async function settle(
  context: ClaimContext,
  stores: Stores,
  { delivery, answer, claimant }: Settlement,
): Promise<EventAnswer | undefined> {
  const { owner, now } = context;
  const { installation, digest } = delivery;
  const key = { installationId: installation.id, digest };
  // Locks the installation before the inbox, in the order of an uninstall that retires codes.
  await stores.installations.get(key.installationId);
  if (answer.retryAfterSeconds !== undefined) {
    await releaseClaim(context, stores, delivery);
    return record(stores, delivery, answer, now());
  }
  const isSettled = await stores.inbox.settle(key, claimant === null ? null : owner, answer);
  if (!isSettled && !(await isRetired(stores, delivery, answer))) return undefined;
  // The event may have begun a life over a tombstone; a refused event begins none.
  if (answer.status !== 201) await stores.installations.giveUp(installation, digest);
  return record(stores, delivery, answer, now());
}

/** An uninstall has retired the code meanwhile, with the same answer. */
async function isRetired(
  { inbox }: Stores,
  { installation, digest }: Delivery,
  { reason }: EventAnswer,
): Promise<boolean> {
  if (reason !== 'after_uninstall') return false;
  const verdict = await inbox.findVerdict({ installationId: installation.id, digest });
  return verdict?.reason === reason;
}
