/**
 * The keys behind each `jku`, kept. A location has at most one flight under way, and only a landed
 * flight writes, so an older answer can never overwrite a newer one. What a stranger can cause by
 * posting tokens is bounded per location here, and over all locations by the fetch budget.
 */
import { createBoundedMap } from './bounded-map.ts';
import { PlatformJwtError, type PlatformJwtReason, toRefusal } from './errors.ts';
import { createFetchBudget, isWithin } from './fetch-budget.ts';
import type { KeySource } from './key-source.ts';
import type { PlatformKey } from './platform-key.ts';

const freshMs = 24 * 60 * 60 * 1000;
/** How long an expired key still serves while its host is down. */
const staleIfErrorMs = 24 * 60 * 60 * 1000;
/** How long a location that failed is not asked again. */
const negativeMs = 60_000;
/** How long a location is not asked again because of a signature that its keys do not verify. */
const coolDownMs = 30_000;
const maxLocations = 256;

export interface RemoteKeysOptions {
  /** Downloads the document of one location and judges its keys. */
  download: (location: string) => Promise<readonly PlatformKey[]>;
  /** Epoch milliseconds. */
  now: () => number;
}

interface KnownKeys {
  keys: readonly PlatformKey[];
  loadedAt: number;
  /** When the location was last asked, with or without success. */
  triedAt: number;
}

/** Returns the source of the keys behind one location; all sources share one memory. */
export function createRemoteKeys({ download, now }: RemoteKeysOptions) {
  const known = createBoundedMap<KnownKeys>(maxLocations);
  const failed = createBoundedMap<{ reason: PlatformJwtReason; failedAt: number }>(maxLocations);
  const flights = new Map<string, Promise<readonly PlatformKey[]>>();
  const budget = createFetchBudget(now);

  function joinFlight(location: string): Promise<readonly PlatformKey[]> {
    const current = flights.get(location);
    if (current) return current;
    const flight = takeOff(location).finally(() => flights.delete(location));
    flights.set(location, flight);
    return flight;
  }

  async function takeOff(location: string): Promise<readonly PlatformKey[]> {
    const failure = failed.get(location);
    if (failure && isWithin(negativeMs, failure.failedAt, now())) {
      throw new PlatformJwtError(failure.reason);
    }
    const isKnown = known.get(location) !== undefined;
    try {
      return await budget.run(() => fetchKeys(location), isKnown);
    } catch (thrown) {
      throw toRefusal(thrown, 'key_fetch_failed');
    }
  }

  async function fetchKeys(location: string): Promise<readonly PlatformKey[]> {
    try {
      const keys = await download(location);
      known.set(location, { keys, loadedAt: now(), triedAt: now() });
      return keys;
    } catch (thrown) {
      const refusal = toRefusal(thrown, 'key_fetch_failed');
      failed.set(location, { reason: refusal.reason, failedAt: now() });
      throw refusal;
    }
  }

  async function load(location: string): Promise<readonly PlatformKey[]> {
    const entry = known.get(location);
    if (entry && isWithin(freshMs, entry.loadedAt, now())) return entry.keys;
    try {
      return await joinFlight(location);
    } catch (thrown) {
      const refusal = toRefusal(thrown, 'key_fetch_failed');
      const mayServe = entry && isWithin(freshMs + staleIfErrorMs, entry.loadedAt, now());
      if (mayServe && refusal.retryable) return entry.keys;
      throw refusal;
    }
  }

  async function reload(location: string, tried: readonly PlatformKey[]) {
    const entry = known.get(location);
    if (!entry) return undefined;
    if (entry.keys !== tried) return entry.keys;
    if (!flights.has(location) && isWithin(coolDownMs, entry.triedAt, now())) return undefined;
    entry.triedAt = now();
    return joinFlight(location).catch(() => undefined);
  }

  return (location: string): KeySource => ({
    load: () => load(location),
    reload: (tried) => reload(location, tried),
  });
}
