/**
 * Describes for operators the trust rules and the keys that this process has loaded. Reads the caches without
 * changing them. Strangers can invent locations, so texts and lists have limits.
 */
import { createHash } from 'node:crypto';
import { spellIssuer } from '@dowel/schema';
import type { PlatformJwtReason } from '../errors.ts';
import { keyLocationMatches } from './key-binding.ts';
import type { PlatformKey } from './platform-key.ts';
import { freshMs, type LoadedKeys, type RemoteKeys, staleIfErrorMs } from './remote-keys.ts';
import type { TrustRule } from './trust-rules.ts';

const maxLocations = 100;
/** The most keys listed for one location or rule. */
const maxKeys = 20;
const maxText = 300;

/** A public key. */
export interface SignatureKey {
  kid: string | undefined;
  algorithm: string;
  /** The length of the modulus. */
  bits: number;
  /** SHA-256 of the key's SubjectPublicKeyInfo, in hex. */
  fingerprint: string;
}

export interface FetchFailure {
  reason: PlatformJwtReason;
  at: number;
}

/** A key location from which this process has requested keys. Points in time are epoch milliseconds. */
export interface CachedLocation {
  /** At most 300 characters. */
  location: string;
  /** A key of it has verified a signature. Strangers can invent locations that have not. */
  isProven: boolean;
  /** At most 20. */
  keys: readonly SignatureKey[];
  /** Undefined: it has not answered with a key yet. */
  fetchedAt: number | undefined;
  /** The first JWT from then on fetches the keys again. */
  freshUntil: number | undefined;
  /** Until then the keys are used even if the location does not answer. */
  usableUntil: number | undefined;
  /** Why the latest fetch failed; undefined if it was answered. */
  failure: FetchFailure | undefined;
}

export interface RuleReport {
  /** As in the setting: `*`, `https://*.example.com`, or an origin. */
  issuer: string;
  /** The URL below which the keys are; undefined for pinned keys. */
  location: string | undefined;
  /** Keys of a file, at most 20; undefined for a location. */
  pinned: readonly SignatureKey[] | undefined;
  /** The newest fetch below the location. */
  fetchedAt: number | undefined;
  /** Until then the keys of that fetch are used even if the location does not answer. */
  usableUntil: number | undefined;
  /**
   * The latest failure that no answer has followed. Once a location of the rule is proven, only those count,
   * because strangers can make others fail.
   */
  failure: FetchFailure | undefined;
}

export interface TrustReport {
  rules: readonly RuleReport[];
  /** Proven ones first, then the latest fetched; at most 100. */
  locations: readonly CachedLocation[];
  /** How many more locations there are. */
  hiddenLocations: number;
}

export function describeTrust(rules: readonly TrustRule[], remote: RemoteKeys): TrustReport {
  const entries = listLocations(remote).toSorted(
    (a, b) => Number(b.isProven) - Number(a.isProven) || askedAt(b) - askedAt(a),
  );
  return {
    rules: rules.map((rule) => describeRule(rule, entries)),
    locations: entries
      .slice(0, maxLocations)
      .map((entry) => ({ ...entry, location: cut(entry.location) })),
    hiddenLocations: Math.max(0, entries.length - maxLocations),
  };
}

function listLocations({ good, unproven, failed }: RemoteKeys): CachedLocation[] {
  const loaded = new Map([...unproven.entries(), ...good.entries()]);
  return [...new Set([...loaded.keys(), ...failed.keys()])].map((location) => ({
    location,
    isProven: good.has(location),
    ...describeLoaded(loaded.get(location)),
    failure: findFailure(failed.peek(location), loaded.get(location)),
  }));
}

function describeLoaded(
  loaded: LoadedKeys | undefined,
): Omit<CachedLocation, 'location' | 'isProven' | 'failure'> {
  const fetchedAt = loaded?.loadedAt;
  return {
    keys: describeKeys(loaded?.keys ?? []),
    fetchedAt,
    freshUntil: fetchedAt && fetchedAt + freshMs,
    usableUntil: fetchedAt && fetchedAt + freshMs + staleIfErrorMs,
  };
}

function findFailure(
  failed: { reason: PlatformJwtReason; failedAt: number } | undefined,
  loaded: LoadedKeys | undefined,
): FetchFailure | undefined {
  if (!failed || (loaded && loaded.loadedAt >= failed.failedAt)) return undefined;
  return { reason: failed.reason, at: failed.failedAt };
}

function describeRule(
  { issuer, keys }: TrustRule,
  locations: readonly CachedLocation[],
): RuleReport {
  if (keys.kind === 'static') {
    return {
      issuer: spellIssuer(issuer),
      location: undefined,
      pinned: describeKeys(keys.keys),
      fetchedAt: undefined,
      usableUntil: undefined,
      failure: undefined,
    };
  }
  const below = locations.filter(({ location }) => keyLocationMatches(keys, location));
  const proven = below.filter(({ isProven }) => isProven);
  const telling = proven.length > 0 ? proven : below;
  const newest = latest(telling, ({ fetchedAt }) => fetchedAt);
  return {
    issuer: spellIssuer(issuer),
    location: `${keys.origin}${keys.pathPrefix}`,
    pinned: undefined,
    fetchedAt: newest?.fetchedAt,
    usableUntil: newest?.usableUntil,
    failure: latest(telling, ({ failure }) => failure?.at)?.failure,
  };
}

/** The element with the latest time; undefined if none has one. */
function latest<Each>(
  list: readonly Each[],
  timeOf: (each: Each) => number | undefined,
): Each | undefined {
  return list
    .filter((each) => timeOf(each) !== undefined)
    .toSorted((a, b) => (timeOf(b) ?? 0) - (timeOf(a) ?? 0))[0];
}

function askedAt({ fetchedAt = 0, failure }: CachedLocation): number {
  return Math.max(fetchedAt, failure?.at ?? 0);
}

/** The rules as they are configured; a file of keys as the number of its keys. */
export function describeRules(rules: readonly TrustRule[]): string[] {
  return rules.map(({ issuer, keys }) => {
    const from =
      keys.kind === 'location' ? `${keys.origin}${keys.pathPrefix}` : `file (${keys.keys.length})`;
    return `${spellIssuer(issuer)}=${from}`;
  });
}

function describeKeys(keys: readonly PlatformKey[]): SignatureKey[] {
  return keys.slice(0, maxKeys).map(({ alg, kid, key }) => ({
    kid: kid === undefined ? undefined : cut(kid),
    algorithm: alg,
    bits: key.asymmetricKeyDetails?.modulusLength ?? 0,
    fingerprint: createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('hex'),
  }));
}

function cut(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText - 1)}…`;
}
