/**
 * Limits how often key hosts are asked for locations that have not served a good key: in a minute, and at
 * the same time. Strangers can invent such locations, so the budget is split: each trust rule has its own,
 * and a part of each is reserved for senders that have wasted no fetch, and a part for known senders
 * (docs/decisions/0022-key-locations.md).
 */
import { PlatformJwtError } from '../errors.ts';
import type { Sender } from './sender.ts';

const minuteMs = 60_000;
/** How long a fetch that led to no good key counts against its sender. */
const memoryMs = 60 * minuteMs;
/** The fetches of all rules together, shared evenly. Each rule has at least `minFetchesPerRule`. */
const fetchesPerMinute = 48;
const minFetchesPerRule = 12;
/** The most fetches of one rule at the same time. */
const maxInFlight = 4;
/** The most waiting requests of one rule. With more, the answer would take longer than the platform waits (30 s). */
const maxWaiting = 8;
/** The share of each limit that a sender may use. */
const shares = { known: 1, fresh: 0.75, other: 0.25 };
/** The share of a rule's fetches in a minute that one address may use. */
const addressShares = { known: 0.5, fresh: 0.125, other: 0.125 };
/** With this many wasted fetches in one network, none of its addresses counts as fresh. */
const maxOfFreshNetwork = 4;

/**
 * How far a sender is trusted, the best first: `known` has sent verified events, `fresh` has wasted no fetch
 * lately, and `other` has wasted some. A better standing may use a larger share.
 */
type Standing = keyof typeof shares;

/** A fetch that has begun. It counts as wasted until its key verifies a signature. */
export interface Spending {
  at: number;
  account: Account;
  sender: Sender | undefined;
}

interface Waiter {
  sender: Sender | undefined;
  resolve(spending: Spending): void;
  reject(refusal: PlatformJwtError): void;
}

/** The fetches for one trust rule's locations. */
interface Account {
  spendings: Spending[];
  inFlight: number;
  waiting: Waiter[];
}

export interface FetchBudget {
  now: () => number;
  perMinute: number;
  accounts: Map<object, Account>;
}

/** @param rules how many trust rules name a key location */
export function createFetchBudget(now: () => number, rules: number): FetchBudget {
  const perMinute = Math.max(minFetchesPerRule, Math.floor(fetchesPerMinute / Math.max(1, rules)));
  return { now, perMinute, accounts: new Map() };
}

/**
 * Acquires the right to fetch one location. Without waiting if a place is free, so that the fetch can begin
 * before another request. Without a sender, only the limits of the rule apply.
 *
 * @throws PlatformJwtError `key_fetch_limited`, also later
 */
export function spend(
  budget: FetchBudget,
  rule: object,
  sender: Sender | undefined,
): Spending | Promise<Spending> {
  const account = openAccount(budget, rule);
  const verdict = decideFetch(budget, account, sender, account.waiting);
  if (verdict === 'refused') throw limited();
  if (verdict === 'admitted') return enter(budget, account, sender);
  if (account.waiting.length >= maxWaiting) dropForBetter(budget, account, sender);
  return new Promise((resolve, reject) => account.waiting.push({ sender, resolve, reject }));
}

/** The fetch has ended: another may begin. */
export function release(budget: FetchBudget, { account }: Spending): void {
  account.inFlight -= 1;
  for (let next = takeNext(budget, account); next; next = takeNext(budget, account)) {
    next.resolve(enter(budget, account, next.sender));
  }
}

/** The fetch was not wasted, so it does not count. */
export function refund(spending: Spending): void {
  const { account } = spending;
  account.spendings = account.spendings.filter((each) => each !== spending);
}

function openAccount({ accounts }: FetchBudget, rule: object): Account {
  const account = accounts.get(rule) ?? { spendings: [], inFlight: 0, waiting: [] };
  accounts.set(rule, account);
  return account;
}

function enter({ now }: FetchBudget, account: Account, sender: Sender | undefined): Spending {
  const spending = { at: now(), account, sender };
  account.spendings = account.spendings.filter(({ at }) => isWithin(memoryMs, at, now()));
  account.spendings.push(spending);
  account.inFlight += 1;
  return spending;
}

/** @param ahead the requests that wait already and come first */
function decideFetch(
  { now, perMinute }: FetchBudget,
  account: Account,
  sender: Sender | undefined,
  ahead: readonly Waiter[],
): 'admitted' | 'waits' | 'refused' {
  const standing = standingOf(now(), account, sender, ahead);
  const recent = account.spendings.filter(({ at }) => isWithin(minuteMs, at, now()));
  // control B08
  if (recent.length >= perMinute * shares[standing]) return 'refused';
  const own = recent.filter((each) => each.sender?.address === sender?.address);
  if (sender && own.length >= perMinute * addressShares[standing]) return 'refused';
  return account.inFlight < maxInFlight * shares[standing] ? 'admitted' : 'waits';
}

/** A sender is fresh if it has wasted no fetch in the last hour, and none of its fetches waits. */
function standingOf(
  nowMs: number,
  { spendings }: Account,
  sender: Sender | undefined,
  ahead: readonly Waiter[],
): Standing {
  if (!sender) return 'fresh';
  if (sender.isKnown) return 'known';
  const { address, network } = sender;
  const wasted = spendings.filter(({ at }) => isWithin(memoryMs, at, nowMs));
  const ofNetwork = wasted.filter((each) => each.sender?.network === network);
  const isFresh =
    ofNetwork.length < maxOfFreshNetwork &&
    [...ofNetwork, ...ahead].every((each) => each.sender?.address !== address);
  return isFresh ? 'fresh' : 'other';
}

/**
 * Removes the first request that may start from the queue. Senders of a better {@link Standing} may start while
 * more fetches are in flight, so a sender of a worse one never passes them.
 */
function takeNext(budget: FetchBudget, account: Account): Waiter | undefined {
  const judged = account.waiting.map((waiter, index) => {
    const ahead = account.waiting.slice(0, index);
    return { waiter, verdict: decideFetch(budget, account, waiter.sender, ahead) };
  });
  const refused = judged.filter(({ verdict }) => verdict === 'refused');
  const next = judged.find(({ verdict }) => verdict === 'admitted');
  for (const { waiter } of refused) waiter.reject(limited());
  const leaving = [...refused, next].map((each) => each?.waiter);
  account.waiting = account.waiting.filter((each) => !leaving.includes(each));
  return next?.waiter;
}

/**
 * Makes room in a full queue: rejects the last request whose sender has a worse {@link Standing}.
 *
 * @throws PlatformJwtError `key_fetch_limited` when there is none.
 */
function dropForBetter(budget: FetchBudget, account: Account, sender: Sender | undefined): void {
  const share = shareOf(budget, account, sender, account.waiting);
  const worse = account.waiting.findLast(
    (waiter, index) =>
      shareOf(budget, account, waiter.sender, account.waiting.slice(0, index)) < share,
  );
  if (!worse) throw limited();
  account.waiting = account.waiting.filter((each) => each !== worse);
  worse.reject(limited());
}

function shareOf(
  { now }: FetchBudget,
  account: Account,
  sender: Sender | undefined,
  ahead: readonly Waiter[],
): number {
  return shares[standingOf(now(), account, sender, ahead)];
}

function limited(): PlatformJwtError {
  return new PlatformJwtError('key_fetch_limited');
}

/** Whether `time` is less than `durationMs` ago. A time in the future, after a clock was set back, counts as old. */
export function isWithin(durationMs: number, time: number, nowMs: number): boolean {
  return time <= nowMs && nowMs - time < durationMs;
}
