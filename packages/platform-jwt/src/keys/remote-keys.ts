/**
 * A cache of the keys of each `jku`. A location has at most one download at a time, and only a completed
 * download writes, so an older answer can never overwrite a newer one. A known location has only its own
 * limits. Unknown locations, which strangers can invent, are limited by the fetch budget too.
 */
import { LRUCache } from 'lru-cache';
import { PlatformJwtError, type PlatformJwtReason, toRefusal } from '../errors.ts';
import {
  createFetchBudget,
  type FetchBudget,
  isWithin,
  refund,
  release,
  type Spending,
  spend,
} from './fetch-budget.ts';
import type { KeySource } from './key-source.ts';
import {
  addKnownLocation,
  createKnownLocations,
  isKnownLocation,
  type KeyLocationMemory,
  type KnownLocations,
  refreshKnownLocations,
} from './known-locations.ts';
import type { PlatformKey } from './platform-key.ts';
import type { Sender } from './sender.ts';

export const freshMs = 24 * 60 * 60 * 1000;
/** How long an expired key is still used while its host is down. */
export const staleIfErrorMs = 24 * 60 * 60 * 1000;
/** How long a location is not asked again after a failure; also the `Retry-After` of refused senders. */
const negativeMs = 10_000;
/** How long a location is not asked again after a signature that its keys do not verify. */
const coolDownMs = 30_000;
const maxGood = 512;
/** The most documents of unknown locations that are kept. */
const maxUnproven = 64;
const maxFailed = 256;

export interface RemoteKeysOptions {
  /** Downloads the document of one location and checks its keys. */
  download: (location: string) => Promise<readonly PlatformKey[]>;
  /** Epoch milliseconds. */
  now: () => number;
  /** Keeps good locations beyond the life of the process. Default: none. */
  memory?: KeyLocationMemory | undefined;
  /** How many trust rules name a key location. Default 1. */
  rules?: number;
}

export interface KeyRequest {
  location: string;
  /** The trust rule that allows the location. Each rule has its own budget. */
  rule: object;
  sender: Sender | undefined;
}

export interface LoadedKeys {
  keys: readonly PlatformKey[];
  loadedAt: number;
  /** The budget's entry for its first download; undefined for a known location. */
  spending: Spending | undefined;
}

export interface RemoteKeys {
  download: RemoteKeysOptions['download'];
  now: () => number;
  known: KnownLocations;
  budget: FetchBudget;
  /** Known locations. Strangers cannot displace them. */
  good: LRUCache<string, LoadedKeys>;
  unproven: LRUCache<string, LoadedKeys>;
  failed: LRUCache<string, { reason: PlatformJwtReason; failedAt: number }>;
  flights: Map<string, Promise<LoadedKeys>>;
  /** Requests that wait for the budget, by address and location, so that each waits once. */
  payments: Map<string, Promise<LoadedKeys>>;
  /** When each location was last asked, for known senders and for others, so that others do not delay known senders. */
  askedAt: { known: LRUCache<string, number>; other: LRUCache<string, number> };
}

/** Creates the caches, the known locations and the fetch budget of one verifier. */
export function createRemoteKeys({
  download,
  now,
  memory,
  rules = 1,
}: RemoteKeysOptions): RemoteKeys {
  return {
    download,
    now,
    known: createKnownLocations(now, memory),
    budget: createFetchBudget(now, rules),
    good: new LRUCache({ max: maxGood }),
    unproven: new LRUCache({ max: maxUnproven }),
    failed: new LRUCache({ max: maxFailed }),
    flights: new Map(),
    payments: new Map(),
    askedAt: { known: new LRUCache({ max: maxGood }), other: new LRUCache({ max: maxGood }) },
  };
}

/** The keys of one location. All sources share one cache. */
export function keySourceOf(remote: RemoteKeys, request: KeyRequest): KeySource {
  return {
    load: () => load(remote, request),
    reload: (tried) => reload(remote, request, tried),
    confirm: () => confirm(remote, request.location),
  };
}

async function load(remote: RemoteKeys, request: KeyRequest): Promise<readonly PlatformKey[]> {
  const isFresh = ({ loadedAt }: LoadedKeys) => isWithin(freshMs, loadedAt, remote.now());
  const loaded = findLoaded(remote, request.location);
  if (loaded && isFresh(loaded)) return loaded.keys;
  try {
    return (await ask(remote, request, isFresh)).keys;
  } catch (thrown) {
    const refusal = toRefusal(thrown, 'key_fetch_failed');
    const mayServe = loaded && isWithin(freshMs + staleIfErrorMs, loaded.loadedAt, remote.now());
    if (mayServe && refusal.retryable) return loaded.keys;
    throw refusal;
  }
}

async function reload(
  remote: RemoteKeys,
  request: KeyRequest,
  tried: readonly PlatformKey[],
): Promise<readonly PlatformKey[] | undefined> {
  const { location } = request;
  const loaded = findLoaded(remote, location);
  if (!loaded) return undefined;
  if (loaded.keys !== tried) return loaded.keys;
  if (!remote.flights.has(location) && isCoolingDown(remote, request)) return undefined;
  const isNewer = ({ keys }: LoadedKeys) => keys !== tried;
  return ask(remote, request, isNewer).then(
    ({ keys }) => keys,
    () => undefined,
  );
}

/**
 * The location's keys have verified a signature, so it belongs to the platform. The fetch no longer counts
 * against its sender.
 */
function confirm(remote: RemoteKeys, location: string): void {
  addKnownLocation(remote.known, location);
  const loaded = remote.unproven.get(location);
  if (!loaded) return;
  remote.unproven.delete(location);
  remote.good.set(location, loaded);
  if (loaded.spending) refund(loaded.spending);
}

function findLoaded({ good, unproven }: RemoteKeys, location: string): LoadedKeys | undefined {
  return good.get(location) ?? unproven.get(location);
}

function isCoolingDown(remote: RemoteKeys, { location, sender }: KeyRequest): boolean {
  const askedAt = askedBy(remote, sender).get(location);
  return askedAt !== undefined && isWithin(coolDownMs, askedAt, remote.now());
}

function askedBy({ askedAt }: RemoteKeys, sender: Sender | undefined): LRUCache<string, number> {
  return sender?.isKnown ? askedAt.known : askedAt.other;
}

/** Joins or starts the location's download. A known location does not use the budget. */
async function ask(
  remote: RemoteKeys,
  request: KeyRequest,
  isEnough: (loaded: LoadedKeys) => boolean,
): Promise<LoadedKeys> {
  const { known } = remote;
  const { location, sender } = request;
  if (!isKnownLocation(known, location)) await refreshKnownLocations(known);
  const answer = findAnswer(remote, location, isEnough);
  if (answer) return answer;
  if (isKnownLocation(known, location)) return startFlight(remote, request);
  const name = `${sender?.address} ${location}`;
  const payment = remote.payments.get(name);
  if (payment) return payment;
  const paid = pay(remote, request, isEnough).finally(() => remote.payments.delete(name));
  remote.payments.set(name, paid);
  return paid;
}

async function pay(
  remote: RemoteKeys,
  request: KeyRequest,
  isEnough: (loaded: LoadedKeys) => boolean,
): Promise<LoadedKeys> {
  const { budget } = remote;
  const granted = spend(budget, request.rule, request.sender);
  const spending = granted instanceof Promise ? await granted : granted;
  try {
    // Another request may have fetched it while this one waited.
    const answer = findAnswer(remote, request.location, isEnough);
    if (answer) refund(spending);
    return await (answer ?? startFlight(remote, request, spending));
  } finally {
    release(budget, spending);
  }
}

/** The result without another download: one that is under way, a recent failure, or cached keys. */
function findAnswer(
  remote: RemoteKeys,
  location: string,
  isEnough: (loaded: LoadedKeys) => boolean,
): Promise<LoadedKeys> | undefined {
  const flight = remote.flights.get(location);
  if (flight) return flight;
  const loaded = findLoaded(remote, location);
  if (loaded && isEnough(loaded)) return Promise.resolve(loaded);
  const failure = remote.failed.get(location);
  // control B10
  if (failure && isWithin(negativeMs, failure.failedAt, remote.now())) {
    return Promise.reject(new PlatformJwtError(failure.reason));
  }
  return undefined;
}

function startFlight(
  remote: RemoteKeys,
  { location, sender }: KeyRequest,
  spending?: Spending,
): Promise<LoadedKeys> {
  askedBy(remote, sender).set(location, remote.now());
  const flight = fetchKeys(remote, location, spending).finally(() =>
    remote.flights.delete(location),
  );
  remote.flights.set(location, flight);
  return flight;
}

async function fetchKeys(
  { download, now, known, good, unproven, failed }: RemoteKeys,
  location: string,
  spending: Spending | undefined,
): Promise<LoadedKeys> {
  try {
    const loaded = { keys: await download(location), loadedAt: now(), spending };
    const cache = isKnownLocation(known, location) ? good : unproven;
    cache.set(location, loaded);
    return loaded;
  } catch (thrown) {
    const refusal = toRefusal(thrown, 'key_fetch_failed');
    failed.set(location, { reason: refusal.reason, failedAt: now() });
    throw refusal;
  }
}
