/**
 * Limits of failed sign-ins: for each name, address or network, within a quarter of an hour. Rows F01 and F27 of
 * docs/threats.md.
 */
import { addTo, countOf, createWindowCounter, type WindowCounter } from '../base/window-counter.ts';
import { parseSenderAddress } from '../request/sender-address.ts';

export const windowMs = 15 * 60 * 1000;
/** Failures that one name, and one address, may have. */
export const maxFailures = 10;
/** Failures that a network may have: it belongs to many owners, or to one with many addresses. */
const maxNetworkFailures = 100;

/**
 * Counts one kind of keys. Each kind has its own counter, so many keys of one kind do not push out those of another.
 */
export interface FailureCounter extends WindowCounter {
  maxFailures: number;
}

/** A key that an attempt is counted for. */
export interface FailureLimit {
  counter: FailureCounter;
  key: string;
}

/** Creates a counter of one process, which starts empty. */
export function createFailureCounter(maxFailures: number, now: () => number): FailureCounter {
  return { maxFailures, ...createWindowCounter(windowMs, now) };
}

/** The counters of senders. */
export interface SenderCounters {
  addresses: FailureCounter;
  networks: FailureCounter;
}

/** Creates the counters of addresses and networks. */
export function createSenderCounters(now: () => number): SenderCounters {
  return {
    addresses: createFailureCounter(maxFailures, now),
    networks: createFailureCounter(maxNetworkFailures, now),
  };
}

/** @param sender the address from the socket or a proxy */
export function limitsOfSender(
  { addresses, networks }: SenderCounters,
  sender: string,
): { ofAddress: FailureLimit; ofNetwork: FailureLimit } {
  const { address, network } = parseSenderAddress(sender);
  return {
    ofAddress: { counter: addresses, key: address },
    ofNetwork: { counter: networks, key: network },
  };
}

export interface LimitedAttempt<Outcome> {
  /** The attempt is refused when any of these is reached. */
  limits: readonly FailureLimit[];
  /** The limits that a failure counts for. Default: all limits. */
  counted?: readonly FailureLimit[];
  attempt: () => Promise<Outcome>;
  /** Only these outcomes count. An attempt that throws has checked nothing, so it does not count. */
  hasFailed: (outcome: Outcome) => boolean;
  /** Called instead of the attempt when a limit is reached. */
  refuse: () => Outcome;
}

/** Counts an attempt, however it ends. False: there were too many. */
export function countAttempt(limit: FailureLimit): boolean {
  if (isReached(limit)) return false;
  addTo(limit.counter, limit.key, 1);
  return true;
}

/** Makes an attempt, unless too many have failed before. */
export async function limitFailures<Outcome>({
  limits,
  counted = limits,
  attempt,
  hasFailed,
  refuse,
}: LimitedAttempt<Outcome>): Promise<Outcome> {
  if (limits.some(isReached)) return refuse();
  // Counted before it is checked: attempts at the same time must not pass together.
  // control F01
  for (const { counter, key } of counted) addTo(counter, key, 1);
  let isCounted = false;
  try {
    const outcome = await attempt();
    isCounted = hasFailed(outcome);
    return outcome;
  } finally {
    if (!isCounted) for (const { counter, key } of counted) addTo(counter, key, -1);
  }
}

function isReached({ counter, key }: FailureLimit): boolean {
  return countOf(counter, key) >= counter.maxFailures;
}
