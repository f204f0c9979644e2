/**
 * The claim of an event that takes time to decide: the right of one process to decide it. The claim lapses by itself,
 * so that another process can take over when its holder dies.
 */
import { pause } from '@dowel/http';
import type { Store, Stores, Verdict } from '@dowel/installation-store';
import type { AccessTokenEvent, InstallEvent } from '@dowel/schema';
import { exchangeTimeoutMs, type Moment, momentOf, remainingMs } from '@dowel/token-client';
import { type AdmissionContext, admitLife } from './admit-life.ts';
import type { CheckContext } from './check-event.ts';
import { type Arrival, type Delivery, isDelivery, keyOf, locate, record } from './delivery.ts';
import { type EventAnswer, retryLater } from './event-answer.ts';

export interface ClaimContext extends AdmissionContext, CheckContext {
  store: Store;
  /** The name that the back end gave the plug-in of these events. */
  plugin: string;
  /** This process, in claims. */
  owner: string;
  /** Epoch milliseconds. */
  now: () => number;
}

type ClaimedEvent = AccessTokenEvent | InstallEvent;

/** An event that this process may decide. */
export interface Claimed<Event extends ClaimedEvent = AccessTokenEvent> extends Delivery<Event> {
  /** When the claim was made, or renewed. */
  claimedAt: Moment;
  /** How long the claim lasts. */
  claimMs: number;
}

/** Less than the 30 s that the platform waits. */
export const patienceMs = 20_000;

/**
 * Three seconds longer than an exchange: from the renewal of the claim, its commit has this time on a slow
 * disk. `beforeInstall` adds its own time.
 */
const decisionMs = 15_000;
/** The last part of a claim, in which the answer is stored. */
const storingMs = 2_000;
const pollMs = 100;
/** After so many polls, the process tries to claim the event: the holder may have died. */
const pollsPerClaim = 10;

/** Decides the event by `decide`, or waits for the process that does. */
export async function decideByClaim<Event extends ClaimedEvent>(
  context: ClaimContext,
  arrival: Arrival<Event>,
  decide: (claimed: Claimed<Event>) => Promise<EventAnswer | undefined>,
): Promise<EventAnswer> {
  const endsAt = context.timer.monotonic() + patienceMs;
  for (;;) {
    const claimed = await claimEvent(context, arrival);
    if (claimed && !isDelivery(claimed)) return claimed;
    const answer = claimed
      ? ((await refuseByHook(context, claimed)) ?? (await decide(claimed)))
      : await awaitVerdict(context, arrival, endsAt);
    if (answer) return answer;
  }
}

/** Asks the plug-in about a new life. Undefined: it may begin. */
async function refuseByHook(
  context: ClaimContext,
  delivery: Claimed<ClaimedEvent>,
): Promise<EventAnswer | undefined> {
  const { event, installation } = delivery;
  const answer = await admitLife(context, installation);
  if (!answer) return undefined;
  return context.store.transaction(async (stores) => {
    const current = await stores.installations.get(installation.id);
    const isLetIn = current?.generation === installation.generation && !current.awaitsAdmission;
    // Another event of this life was let in meanwhile.
    if (isLetIn) return undefined;
    const settled = await storeAnswer(context, stores, { delivery, answer });
    const isRefused = settled && answer.retryAfterSeconds === undefined;
    if (isRefused) await stores.installations.uninstall(installation, event.iat);
    // Another process has decided the event, and gives the same answer from now on.
    return settled ?? retryLater('in_progress');
  });
}

/**
 * Claims the event. Resolves with the answer when there is nothing left to do, and with undefined
 * while another process decides it.
 */
function claimEvent<Event extends ClaimedEvent>(
  context: ClaimContext,
  arrival: Arrival<Event>,
): Promise<EventAnswer | Claimed<Event> | undefined> {
  return context.store.transaction((stores) => open(context, stores, arrival));
}

async function open<Event extends ClaimedEvent>(
  context: ClaimContext,
  stores: Stores,
  arrival: Arrival<Event>,
): Promise<EventAnswer | Claimed<Event> | undefined> {
  const { plugin, beforeInstall, beforeInstallMs } = context;
  const awaitsAdmission = beforeInstall !== undefined;
  const life = { plugin, awaitsAdmission };
  const delivery = await locate(context, stores, { arrival, life });
  if (!isDelivery(delivery)) return delivery;
  const { refusal, installation, isRevival } = delivery;
  const { event, digest, receivedAt } = arrival;
  const key = { installationId: installation.id, digest };
  const claimedAt = momentOf(context);
  const claimMs = decisionMs + (installation.awaitsAdmission ? beforeInstallMs : 0);
  const codeIat = event.sub === 'access_token' ? event.iat : null;
  const claim = { owner: context.owner, claimMs, receivedAt, codeIat };
  if (!(await stores.inbox.claim(key, claim))) {
    // Its code is being exchanged for the previous life, and begins no other.
    if (isRevival) await stores.installations.giveUp(installation, digest);
    return undefined;
  }
  // An earlier signed copy of the event whose code began this life.
  if (event.sub === 'access_token' && event.iat < installation.beganIat) {
    await stores.installations.antedate(installation, digest, event.iat);
  }
  if (!refusal) return { ...delivery, claimedAt, claimMs };
  return storeAnswer(context, stores, { delivery, answer: refusal });
}

/**
 * Makes the claim last from now, in the transaction that stores the intent of the exchange: the claim's own
 * commit and the wait for a place may have taken long. False: another process decides the event, or has.
 */
export async function renewClaim(
  context: ClaimContext,
  { installations, inbox }: Stores,
  claimed: Claimed,
): Promise<boolean> {
  const { installation, digest, claimMs } = claimed;
  // Locks the installation before the inbox, in the order of an uninstall that retires codes.
  await installations.get(installation.id);
  claimed.claimedAt = momentOf(context);
  const key = { installationId: installation.id, digest };
  return inbox.extend(key, { owner: context.owner, claimMs });
}

/**
 * True while the claim lasts long enough for an exchange and the storing of its answer. After a sleep,
 * another process may have exchanged the code.
 */
export function mayStillExchange(context: ClaimContext, { claimedAt, claimMs }: Claimed): boolean {
  const right = { since: claimedAt, lastsMs: claimMs - storingMs };
  return remainingMs(context, right) >= exchangeTimeoutMs;
}

/**
 * False: another process has decided the event. `ended`: an uninstall has retired its code. True: no other process
 * decides it until the transaction ends.
 */
export async function mayStillDecide(
  { installations, inbox }: Stores,
  { installation, digest }: Delivery,
): Promise<boolean | 'ended'> {
  // Locks the installation, as every decision does.
  await installations.get(installation.id);
  const verdict = await inbox.findVerdict({ installationId: installation.id, digest });
  return isOfEnd(verdict) ? 'ended' : verdict === undefined;
}

/** An uninstall has retired the code of the event meanwhile. */
export async function isRetired(
  { inbox }: Stores,
  { installation, digest }: Delivery,
): Promise<boolean> {
  return isOfEnd(await inbox.findVerdict({ installationId: installation.id, digest }));
}

function isOfEnd(verdict: Verdict | undefined): boolean {
  return verdict?.reason === 'after_uninstall';
}

/**
 * Waits for the process that has the claim, until `endsAt` on the timer. Undefined: the event can be claimed
 * again, which finds the verdict, or a claim that has lapsed. A verdict that a poll sees is no answer yet: on
 * SQLite only a transaction waits until what another process committed is on disk (docs/decisions/0030).
 */
async function awaitVerdict(
  { store, timer }: ClaimContext,
  { event, digest }: Arrival,
  endsAt: number,
): Promise<EventAnswer | undefined> {
  for (let polls = 0; polls < pollsPerClaim; polls += 1) {
    if (timer.monotonic() >= endsAt) return retryLater('in_progress');
    await pause(timer, pollMs);
    const known = await store.installations.find(keyOf(event));
    const verdict = known && (await store.inbox.findVerdict({ installationId: known.id, digest }));
    if (verdict) return undefined;
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
export async function storeAnswer(
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
  const isSettled =
    (await stores.inbox.settle(key, claimant === null ? null : owner, answer)) ||
    (answer.reason === 'after_uninstall' && (await isRetired(stores, delivery)));
  if (!isSettled) return undefined;
  // The event may have begun a life over a tombstone; a refused event begins none.
  if (answer.status !== 201) await stores.installations.giveUp(installation, digest);
  return record(stores, delivery, answer, now());
}
