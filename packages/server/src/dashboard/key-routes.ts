/** The encryption keys, the trust rules, and the signature keys that this process has loaded. */
import type { KeyReport, Store } from '@dowel/installation-store';
import type {
  CachedLocation,
  PlatformJwtVerifier,
  RuleReport,
  SignatureKey,
} from '@dowel/platform-jwt';
import type { Keys, RotationStep } from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { describeProcess } from './own-process.ts';

export interface KeyRoutesContext {
  store: Pick<Store, 'describeKeys'>;
  verifier: Pick<PlatformJwtVerifier, 'describeTrust'>;
  now: () => number;
}

/** Register it where a request has an operator who may read. */
export function addKeyRoutes(router: Router, context: KeyRoutesContext): void {
  router.get('/keys', (ctx) => showKeys(context, ctx));
}

async function showKeys({ store, verifier, now }: KeyRoutesContext, ctx: Context): Promise<void> {
  const { rules, locations, hiddenLocations } = verifier.describeTrust();
  const report = await store.describeKeys();
  const answer: Keys = {
    now: now(),
    encryption: toEncryption(report),
    rules: rules.map(toRule),
    process: describeProcess(),
    locations: locations.map(toLocation),
    hiddenLocations,
  };
  ctx.body = answer;
}

function toEncryption(report: KeyReport): Keys['encryption'] {
  const { keys, unnamedValues, countedAt, counting, usesLimit } = report;
  return {
    keys: keys.map(({ id, state, values, uses, since }) => ({
      id,
      state,
      values,
      uses,
      since,
      mayBeRemoved: state === 'old' && values === 0,
    })),
    step: stepOf(report),
    unnamedValues,
    countedAt,
    counting,
    usesLimit,
  };
}

/** The most urgent first. */
function stepOf({ keys }: KeyReport): RotationStep {
  if (keys.some(({ state }) => state === 'missing')) return 'restore';
  const old = keys.filter(({ state }) => state === 'old');
  if (old.some(({ values }) => values === null)) return 'counting';
  if (old.some(({ values }) => values !== 0)) return 'reencrypt';
  if (old.length > 0) return 'prune';
  return keys.some(({ isWornOut }) => isWornOut) ? 'rotate' : 'none';
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
