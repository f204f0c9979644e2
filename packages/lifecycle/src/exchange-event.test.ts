/** The exchange for an access_token event: what is stored of it, and what happens if its process or its database fails. */
import { StoreError, type Stores } from '@dowel/installation-store';
import { TokenRequestError } from '@dowel/token-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lifecycle, LifecycleOptions } from './lifecycle.ts';
import {
  createAccessTokenEvent,
  createLifecycleWorld,
  issuer,
  type LifecycleWorld,
  pluginId,
  tenantId,
} from './testing/lifecycle-world.ts';

const noTokens = {
  tokenVersion: null,
  generation: null,
  grantedScopes: [],
  previousScopes: [],
};

let world: LifecycleWorld;

beforeEach(async () => {
  world = await createLifecycleWorld();
});

afterEach(() => world.stop());

test('a process that slept until the end of its claim does not send the code', async () => {
  let sent = 0;
  const acceptEvent: LifecycleOptions['tokenClient']['acceptEvent'] = async (_, __, options) => {
    world.clock.offsetMs += 3_001;
    if (options.mayStillSend?.() === false) throw new TokenRequestError('lease_lapsed');
    sent += 1;
    throw new Error('Nothing may be sent');
  };
  const sleepy = await world.start({ tokenClient: { acceptEvent } });

  expect(await sleepy.accept(createAccessTokenEvent('c1'))).toMatchObject({
    status: 503,
    reason: 'exchange_failed',
  });

  expect(sent).toBe(0);
  const other = await world.start();
  expect(await other.accept(createAccessTokenEvent('c1'))).toMatchObject({ status: 201 });
});

test('a claim that was made long ago is renewed before the code is sent', async () => {
  const claimedAgoMs = 14_000;
  const acceptEvent: LifecycleOptions['tokenClient']['acceptEvent'] = async (_, __, options) => {
    world.clock.offsetMs += claimedAgoMs;
    expect(await world.store.transaction(async (stores) => options.mayBegin?.(stores))).toBe(true);
    expect(options.mayStillSend?.()).toBe(true);
    world.clock.offsetMs += 3_001;
    expect(options.mayStillSend?.()).toBe(false);
    throw new TokenRequestError('lease_lapsed');
  };
  const slow = await world.start({ tokenClient: { acceptEvent } });

  expect(await slow.accept(createAccessTokenEvent('c1'))).toMatchObject({ status: 503 });
});

test('a process whose claim was taken over does not send the code, and gives the other’s answer', async () => {
  const event = createAccessTokenEvent('c1');
  const other = await world.start();
  let mayBegin: boolean | undefined;
  const acceptEvent: LifecycleOptions['tokenClient']['acceptEvent'] = async (_, __, options) => {
    world.clock.offsetMs += 15_001;
    world.redeem = async () => {
      mayBegin = await world.store.transaction(async (stores) => options.mayBegin?.(stores));
      return {};
    };
    expect(await other.accept(event)).toMatchObject({ status: 201 });
    return { ...noTokens, outcome: 'dropped', result: undefined };
  };
  const late = await world.start({ tokenClient: { acceptEvent } });

  expect(await late.accept(event)).toMatchObject({ status: 201 });

  expect(mayBegin).toBe(false);
  expect(world.exchangedCodes).toEqual(['c1']);
});

test('a refused code is not presented again, even if the database could not store the refusal', async () => {
  let isAway = false;
  const { store } = world;
  const transaction = <Result>(work: (stores: Stores) => Promise<Result>): Promise<Result> =>
    isAway
      ? Promise.reject(new StoreError('DATABASE_UNAVAILABLE', 'The database is away'))
      : store.transaction(work);
  const lifecycle = await world.start({ store: { ...store, transaction } });
  world.redeem = () => {
    isAway = true;
    return Promise.reject(new TokenRequestError('invalid_grant', { rejected: true }));
  };
  await expect(lifecycle.accept(createAccessTokenEvent('c1'))).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
  });

  isAway = false;
  world.clock.offsetMs += 15_001;
  expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject({
    status: 400,
    reason: 'exchange_rejected',
  });

  expect(world.exchangedCodes).toEqual(['c1']);
});

test('the wait for a verdict keeps its length when the clock is changed', async () => {
  const [slow, other] = [await world.start(), await world.start()];
  const event = createAccessTokenEvent('c1');
  world.redeem = async () => {
    world.redeem = async () => ({});
    const copy = other.accept(event);
    // The claim has half a second left.
    world.clock.offsetMs += 14_500;
    expect(await copy).toMatchObject({ status: 201 });
    return {};
  };

  expect(await slow.accept(event)).toMatchObject({ status: 201 });
});

test('tokens that arrive after the claim are stored, unless another process has decided', async () => {
  const [slow, other] = [await world.start(), await world.start()];
  const event = createAccessTokenEvent('c1');
  world.redeem = async () => {
    world.redeem = () => Promise.reject(new TokenRequestError('token_endpoint_answered_503'));
    world.clock.offsetMs += 15_001;
    expect(await other.accept(event)).toMatchObject({ status: 503 });
    return {};
  };

  expect(await slow.accept(event)).toMatchObject({ status: 201 });

  expect(world.exchangedCodes).toEqual(['c1', 'c1']);
  expect(await other.accept(event)).toMatchObject({ status: 201 });
});

test('tokens that arrive after another process has refused the event are not stored', async () => {
  const [slow, other] = [await world.start(), await world.start()];
  const event = createAccessTokenEvent('c1');
  const refused = { status: 400, reason: 'exchange_rejected' };
  world.redeem = async () => {
    world.redeem = () => Promise.reject(new TokenRequestError('invalid_grant', { rejected: true }));
    world.clock.offsetMs += 15_001;
    expect(await other.accept(event)).toMatchObject(refused);
    return {};
  };

  expect(await slow.accept(event)).toMatchObject(refused);

  const installation = await world.store.installations.find({ issuer, tenantId, pluginId });
  expect(await world.store.grants.findVersion(installation?.id ?? '')).toBeUndefined();
});

test('a refusal that arrives after another process has stored tokens is not answered', async () => {
  const [slow, other] = [await world.start(), await world.start()];
  const event = createAccessTokenEvent('c1');
  world.redeem = async () => {
    world.redeem = async () => ({});
    world.clock.offsetMs += 15_001;
    expect(await other.accept(event)).toMatchObject({ status: 201 });
    throw new TokenRequestError('invalid_grant', { rejected: true });
  };

  expect(await slow.accept(event)).toMatchObject({ status: 201 });

  const installation = await world.store.installations.find({ issuer, tenantId, pluginId });
  expect(await world.store.grants.findVersion(installation?.id ?? '')).toBeDefined();
});

describe('stored tokens', () => {
  let lifecycle: Lifecycle;

  beforeEach(async () => {
    lifecycle = await world.start();
  });

  const installed = () => world.findInstalled();
  const storedGrant = () => world.loadGrant();

  test('C11: a failed update keeps the previous tokens', async () => {
    await lifecycle.accept(createAccessTokenEvent('c1'));
    world.redeem = () => Promise.reject(new TokenRequestError('invalid_grant', { rejected: true }));

    expect(await lifecycle.accept(createAccessTokenEvent('c2', { iat: 200 }))).toMatchObject({
      reason: 'exchange_rejected',
    });
    expect(await storedGrant()).toMatchObject({ tokenVersion: 1 });
    expect((await installed()).status).toBe('active');
  });

  test('C16: a missing essential scope stores nothing; an additional one is recorded', async () => {
    world.redeem = async () => ({ grantedScopes: [] });
    expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject({
      reason: 'scope_missing',
    });
    expect(await storedGrant()).toBeUndefined();

    world.redeem = async () => ({ grantedScopes: ['plugin:notify', 'plugin:more'] });
    await lifecycle.accept(createAccessTokenEvent('c2'));
    expect((await storedGrant())?.grantedScopes).toEqual(['plugin:notify', 'plugin:more']);
  });
});
