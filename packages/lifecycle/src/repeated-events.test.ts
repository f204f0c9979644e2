/** Events that arrive again: rows C01–C04 of docs/threats.md. */
import type { TokenSet } from '@dowel/installation-store';
import { Secret } from '@dowel/schema';
import { TokenRequestError } from '@dowel/token-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Lifecycle } from './lifecycle.ts';
import {
  createAccessTokenEvent,
  createLifecycleWorld,
  type LifecycleWorld,
} from './testing/lifecycle-world.ts';

let world: LifecycleWorld;
let lifecycle: Lifecycle;

beforeEach(async () => {
  world = await createLifecycleWorld();
  lifecycle = await world.start();
});

afterEach(() => world.stop());

const storedGrant = () => world.loadGrant();

test('C01: a re-delivered event gets the same answer and its code is exchanged once', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1'));

  expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject({ status: 201 });
  expect(world.exchangedCodes).toEqual(['c1']);
});

test('C02: a re-delivery with a new signature is the same event, because its code is the same', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1', { jti: 'a' }));

  const again = createAccessTokenEvent('c1', { jti: 'b', iat: 130, exp: 190 });
  expect(await lifecycle.accept(again)).toMatchObject({ status: 201 });
  expect(world.exchangedCodes).toEqual(['c1']);
});

test('C02: a refusal is repeated, too, in any process', async () => {
  world.redeem = async () => ({ grantedScopes: [] });
  const refusal = { status: 400, body: { code: 402 }, reason: 'scope_missing' };
  expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject(refusal);

  world.redeem = async () => ({});
  const other = await world.start();
  expect(await other.accept(createAccessTokenEvent('c1'))).toMatchObject(refusal);
  expect(world.exchangedCodes).toEqual(['c1']);
});

test('C03: fifty concurrent copies on two processes exchange the code once', async () => {
  const other = await world.start();
  world.redeem = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return {};
  };

  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (index % 2 ? lifecycle : other).accept(createAccessTokenEvent('c1')),
    ),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
  expect(world.exchangedCodes).toEqual(['c1']);
});

test('C04: a token endpoint that is down decides nothing: the same event succeeds later', async () => {
  world.redeem = () => Promise.reject(new TokenRequestError('token_endpoint_unreachable'));
  const retry = { status: 503, retryAfterSeconds: 5, reason: 'exchange_failed' };
  expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject(retry);

  world.redeem = async () => ({});
  expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject({ status: 201 });
});

test('if a process dies during an exchange, the next delivery of the event succeeds', async () => {
  world.redeem = () => new Promise(() => {});
  void lifecycle.accept(createAccessTokenEvent('c1'));
  await vi.waitFor(() => expect(world.exchangedCodes).toEqual(['c1']), 120_000);

  world.redeem = async () => ({});
  world.clock.offsetMs = 15_001;
  const other = await world.start();
  expect(await other.accept(createAccessTokenEvent('c1'))).toMatchObject({ status: 201 });
});

test('a process that was paused longer than its claim does not overwrite the tokens of the next', async () => {
  const away = Promise.withResolvers<Partial<TokenSet>>();
  world.redeem = () => away.promise;
  const late = lifecycle.accept(createAccessTokenEvent('c1'));
  await vi.waitFor(() => expect(world.exchangedCodes).toEqual(['c1']), 120_000);

  world.redeem = async () => ({ accessToken: new Secret('of the next process') });
  world.clock.offsetMs = 15_001;
  const other = await world.start();
  await other.accept(createAccessTokenEvent('c1'));
  away.resolve({ accessToken: new Secret('of the late process') });

  expect(await late).toMatchObject({ status: 201 });
  expect((await storedGrant())?.accessToken.reveal()).toBe('of the next process');
  expect(await storedGrant()).toMatchObject({ tokenVersion: 1 });
});
