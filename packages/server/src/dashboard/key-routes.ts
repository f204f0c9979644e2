/** The encryption keys, the trust rules, and the signature keys that this process has loaded: for operators. */
import { type Keys, keysSchema, type RotationStep } from '@dowel/admin-api';
import type { KeyReport, Store } from '@dowel/installation-store';
import type {
  CachedLocation,
  PlatformJwtVerifier,
  RuleReport,
  SignatureKey,
} from '@dowel/platform-jwt';
import { type AdminRoute, route } from './admin-route.ts';
import { describeProcess } from './own-process.ts';

export interface KeyRoutesContext {
  store: Pick<Store, 'describeKeys'>;
  verifier: Pick<PlatformJwtVerifier, 'describeTrust'>;
  now: () => number;
}

export function listKeyRoutes(context: KeyRoutesContext): AdminRoute[] {
  return [
    route('GET /keys', {
      role: 'operator',
      summary: 'Encryption keys, trust rules, cached signature keys',
      answer: keysSchema,
      handle: () => showKeys(context),
    }),
  ];
}

async function showKeys({ store, verifier, now }: KeyRoutesContext): Promise<Keys> {
  const { rules, locations, hiddenLocations } = verifier.describeTrust();
  return {
    now: now(),
    encryption: toEncryption(await store.describeKeys()),
    rules: rules.map(toRule),
    process: describeProcess(),
    locations: locations.map(toLocation),
    hiddenLocations,
  };
}

function toEncryption(report: KeyReport): Keys['encryption'] {
  const { keys, unnamedValues, countedAt, counting } = report;
  return {
    keys: keys.map((key) => ({
      ...key,
      mayBeRemoved: key.state === 'old' && key.values === 0 && !key.isSealing,
    })),
    step: stepOf(report),
    unnamedValues,
    countedAt,
    counting,
  };
}

/** Returns the most urgent step. */
function stepOf({ keys }: KeyReport): RotationStep {
  if (keys.some(({ state }) => state === 'missing')) return 'restore';
  if (keys.some(({ state }) => state === 'next')) return 'restart';
  const old = keys.filter(({ state }) => state === 'old');
  if (old.some(({ isSealing }) => isSealing)) return 'restart';
  if (old.some(({ values }) => values === null)) return 'counting';
  if (old.some(({ values }) => values !== 0)) return 'reencrypt';
  return old.length > 0 ? 'prune' : 'none';
}

function toRule({
  issuer,
  location,
  pinned,
  fetchedAt,
  usableUntil,
  failure,
}: RuleReport): Keys['rules'][number] {
  return {
    issuer,
    location: location ?? null,
    pinned: pinned?.map(toKey) ?? null,
    fetchedAt: fetchedAt ?? null,
    usableUntil: usableUntil ?? null,
    failure: failure ?? null,
  };
}

function toLocation(cached: CachedLocation): Keys['locations'][number] {
  const { location, isProven, keys, fetchedAt, freshUntil, usableUntil, failure } = cached;
  return {
    location,
    isProven,
    keys: keys.map(toKey),
    fetchedAt: fetchedAt ?? null,
    freshUntil: freshUntil ?? null,
    usableUntil: usableUntil ?? null,
    failure: failure ?? null,
  };
}

function toKey({
  kid,
  algorithm,
  bits,
  fingerprint,
}: SignatureKey): Keys['locations'][number]['keys'][number] {
  return { kid: kid ?? null, algorithm, bits, fingerprint };
}
