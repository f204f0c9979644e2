/** The encryption keys and their rotation, the trust rules, and the signature keys that this process has loaded: for operators. */
import type { KeyReport, Store } from '@dowel/installation-store';
import type {
  CachedLocation,
  PlatformJwtVerifier,
  RuleReport,
  SignatureKey,
} from '@dowel/platform-jwt';
import { type Keys, keyRequestSchema, type RotationStep } from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { type KeyActionsContext, rotateKey, startReencryption } from '../actions/key-actions.ts';
import { readJson } from '../request/read-body.ts';
import { requestOf } from '../request/server-exchange.ts';
import { actorOf } from './action-routes.ts';
import { operatorOf, requireRole } from './operator.ts';
import { describeProcess } from './own-process.ts';

export interface KeyRoutesContext {
  store: Pick<Store, 'describeKeys' | 'runs'>;
  verifier: Pick<PlatformJwtVerifier, 'describeTrust'>;
  keyActions: KeyActionsContext;
  now: () => number;
}

/** Register it where a request has an operator. The actions check the role themselves: a refusal is in the audit. */
export function addKeyActionRoutes(router: Router, { keyActions }: KeyRoutesContext): void {
  router.post('/keys/rotate', (ctx) => startRun(keyActions, ctx, rotateKey));
  router.post('/keys/reencrypt', (ctx) => startRun(keyActions, ctx, startReencryption));
}

async function startRun(
  context: KeyActionsContext,
  ctx: Context,
  start: typeof rotateKey,
): Promise<void> {
  const { reason } = await readJson(requestOf(ctx, context.logger), keyRequestSchema);
  const { accountRevision } = operatorOf(ctx);
  ctx.body = await start(context, actorOf(ctx), { reason, accountRevision });
  ctx.status = 201;
}

/** Register it where a request has an operator who may read. */
export function addKeyRoutes(router: Router, context: KeyRoutesContext): void {
  router.get('/keys', (ctx) => showKeys(context, ctx));
}

async function showKeys(context: KeyRoutesContext, ctx: Context): Promise<void> {
  requireRole(ctx, 'operator');
  const { store, verifier, keyActions, now } = context;
  const { rules, locations, hiddenLocations } = verifier.describeTrust();
  const report = await store.describeKeys();
  const runs = await store.runs.list();
  const answer: Keys = {
    now: now(),
    encryption: {
      ...toEncryption(report),
      mayRotate: keyActions.rotateKey !== undefined,
      run: runs.find(({ action }) => action === 'reencrypt') ?? null,
    },
    rules: rules.map(toRule),
    process: describeProcess(),
    locations: locations.map(toLocation),
    hiddenLocations,
  };
  ctx.body = answer;
}

function toEncryption(report: KeyReport): Omit<Keys['encryption'], 'mayRotate' | 'run'> {
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

/** Returns the most urgent step. */
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
