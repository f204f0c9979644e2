/**
 * Limits the load that strangers can cause. Each sender has a counter, which only refused JWTs
 * increase. JWTs are verified even if the counter is full: a stranger behind the same proxy must not
 * lock the platform out. Overload is measured by our own queues, never by a clock: a host that gave this
 * process no time says nothing about them.
 */
import type { Sender } from '@dowel/platform-jwt';
import type { Reason } from '@dowel/schema';
import { LRUCache } from 'lru-cache';
import { policy } from '../base/policy.ts';
import { addTo, countOf, createWindowCounter, type WindowCounter } from '../base/window-counter.ts';
import { parseSenderAddress } from '../request/sender-address.ts';

export interface ReceptionLimits {
  /** Refused events from one address within a minute, before it gets 429. */
  refusalsPerAddress: number;
}

export const defaultReceptionLimits: ReceptionLimits = { refusalsPerAddress: 120 };

const windowMs = 60_000;
/** Known senders have this multiple of a stranger's limits, so strangers are rejected first. */
const factorOfKnown = 2;
const shareOfAddress = 0.5;
/** Above this number, the senders seen longest ago are forgotten. */
const maxKnown = 1_000;

export interface ReceptionGuard {
  limits: ReceptionLimits & typeof policy;
  /** JWTs that are being verified: all of them, and those of each stranger's address. */
  verifying: { all: number; byStranger: Map<string, number> };
  /** Verified events and sessions that wait to be decided. */
  deciding: number;
  /** By address. */
  refusals: WindowCounter;
  nonces: WindowCounter;
  /** Addresses that have sent a verified event. */
  known: LRUCache<string, true>;
}

/**
 * Creates the guard of one process, with all counters at zero.
 *
 * @param limits may replace those of the policy, for tests
 */
export function createReceptionGuard(
  limits: ReceptionLimits & Partial<typeof policy>,
  now: () => number,
): ReceptionGuard {
  return {
    limits: { ...policy, ...limits },
    verifying: { all: 0, byStranger: new Map() },
    deciding: 0,
    refusals: createWindowCounter(windowMs, now),
    nonces: createWindowCounter(windowMs, now),
    known: new LRUCache({ max: maxKnown }),
  };
}

/** @param ip as the proxy in front wrote it, or the socket's address */
export function findSender({ known }: ReceptionGuard, ip: string): Sender {
  const { address, network } = parseSenderAddress(ip);
  return {
    address,
    network,
    get isKnown() {
      return known.has(address);
    },
  };
}

export type OverloadReason = Extract<Reason, 'lagging' | 'verifications_full'>;

/** Nothing was verified: the same JWT may come again. */
export class OverloadError extends Error {
  override readonly name = 'OverloadError';
  readonly reason: OverloadReason;

  constructor(reason: OverloadReason) {
    super(`The JWT was not verified: ${reason}`);
    this.reason = reason;
  }
}

/** @throws OverloadError if too much of our own work waits already. */
export async function whileVerifying<Verified>(
  guard: ReceptionGuard,
  sender: Sender,
  verify: () => Promise<Verified>,
): Promise<Verified> {
  const { verifying } = guard;
  const { address, isKnown } = sender;
  const reason = findOverload(guard, sender);
  if (reason) throw new OverloadError(reason);
  verifying.all += 1;
  if (!isKnown) addWork(verifying.byStranger, address, 1);
  try {
    return await verify();
  } finally {
    verifying.all -= 1;
    if (!isKnown) addWork(verifying.byStranger, address, -1);
  }
}

/** Counts what was verified, and waits for the database or for the platform. It is never rejected here. */
export async function whileDeciding<Decided>(
  guard: ReceptionGuard,
  decide: () => Promise<Decided>,
): Promise<Decided> {
  guard.deciding += 1;
  try {
    return await decide();
  } finally {
    guard.deciding -= 1;
  }
}

function findOverload(
  { limits, verifying, deciding }: ReceptionGuard,
  { address, isKnown }: Sender,
): OverloadReason | undefined {
  const factor = isKnown ? factorOfKnown : 1;
  if (deciding >= limits.decisionsAtOnce * factor) return 'lagging';
  if (verifying.all >= limits.verificationsAtOnce * factor) return 'verifications_full';
  const ofAddress = verifying.byStranger.get(address) ?? 0;
  const isGreedy = !isKnown && ofAddress >= limits.verificationsAtOnce * shareOfAddress;
  return isGreedy ? 'verifications_full' : undefined;
}

function addWork(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** Whether the sender's refusals are answered 429. A valid JWT is still accepted. */
export function isLimited(guard: ReceptionGuard, { address }: Sender): boolean {
  // control I03
  return countOf(guard.refusals, address) >= guard.limits.refusalsPerAddress;
}

/** Counts a JWT that can never be accepted. A retryable one does not count: it may be the platform's. */
export function countRefusal(guard: ReceptionGuard, { address }: Sender): void {
  addTo(guard.refusals, address, 1);
}

/**
 * Counts a session nonce. Refused JWTs do not count here: a stranger at the same address must not lock users out.
 *
 * @returns whether the sender may have it.
 */
export function admitNonce(guard: ReceptionGuard, { address }: Sender): boolean {
  if (countOf(guard.nonces, address) >= guard.limits.noncesPerAddress) return false;
  addTo(guard.nonces, address, 1);
  return true;
}

/**
 * Call it when an event of this sender was verified, whether or not it is refused afterwards. An init JWT does not make
 * its sender known, because every user's browser has some.
 */
export function recogniseSender({ known }: ReceptionGuard, { address }: Sender): void {
  known.set(address, true);
}
