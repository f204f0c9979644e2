/** Events that arrive late, or were captured: rows C06–C10 of docs/threats.md. */
import type { TokenSet } from '@dowel/installation-store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Lifecycle } from './lifecycle.ts';
import {
  createAccessTokenEvent,
  createEvent,
  createLifecycleWorld,
  issuer,
  type LifecycleWorld,
  tenantId,
} from './testing/lifecycle-world.ts';

let world: LifecycleWorld;
let lifecycle: Lifecycle;

beforeEach(async () => {
  world = await createLifecycleWorld();
  lifecycle = await world.start();
});

afterEach(() => world.stop());

const installed = () => world.findInstalled();
const storedGrant = () => world.loadGrant();

test('C06: a late, older event changes nothing and its code is not exchanged', async () => {
  await lifecycle.accept(createAccessTokenEvent('newer', { iat: 200 }));

  const answer = await lifecycle.accept(createAccessTokenEvent('older', { iat: 194 }));

  expect(answer).toMatchObject({ status: 201, reason: 'superseded' });
  expect(world.exchangedCodes).toEqual(['newer']);
  expect((await storedGrant())?.accessToken.reveal()).toBe('access of newer');
});

test('C06: an older event whose exchange is slow does not overwrite the newer tokens', async () => {
  await lifecycle.accept(createEvent('install'));
  const slow = Promise.withResolvers<Partial<TokenSet>>();
  world.redeem = (code) => (code === 'older' ? slow.promise : Promise.resolve({}));
  const older = lifecycle.accept(createAccessTokenEvent('older', { iat: 100 }));
  await vi.waitFor(() => expect(world.exchangedCodes).toEqual(['older']), 120_000);

  await lifecycle.accept(createAccessTokenEvent('newer', { iat: 200 }));
  slow.resolve({});

  expect(await older).toMatchObject({ status: 201, reason: 'superseded' });
  expect((await storedGrant())?.accessToken.reveal()).toBe('access of newer');
  expect(await installed()).toMatchObject({ appliedIat: 200 });
});

test('an uninstall takes effect even if an access_token event was signed after it', async () => {
  await lifecycle.accept(createEvent('install', { iat: 100 }));
  await lifecycle.accept(createAccessTokenEvent('c1', { iat: 200 }));
  await lifecycle.accept(createEvent('uninstall', { iat: 198 }));

  expect((await installed()).status).toBe('uninstalled');
  expect(await storedGrant()).toBeUndefined();
});

test('C09: an event that was accepted before the uninstall is not accepted again after it', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1'));
  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));

  expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject({
    status: 400,
    reason: 'after_uninstall',
  });
});

test('C09: a late uninstall does not allow events that a newer one ended', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1'));
  await lifecycle.accept(createEvent('uninstall', { iat: 300 }));
  await lifecycle.accept(createEvent('uninstall', { iat: 250, jti: 'late' }));

  expect(await lifecycle.accept(createAccessTokenEvent('captured', { iat: 260 }))).toMatchObject({
    reason: 'after_uninstall',
  });
});

test('C09: an install that was captured before the uninstall begins no life', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1'));
  await lifecycle.accept(createEvent('uninstall', { iat: 300 }));

  expect(await lifecycle.accept(createEvent('install', { iat: 250 }))).toMatchObject({
    status: 400,
    reason: 'after_uninstall',
  });
  expect(await installed()).toMatchObject({ status: 'uninstalled', generation: 1 });
});

test('C09: an event of the previous life changes nothing in the next one', async () => {
  await lifecycle.accept(createEvent('install', { iat: 100 }));
  await lifecycle.accept(createEvent('uninstall', { iat: 300 }));
  await lifecycle.accept(createEvent('install', { iat: 400 }));
  const captured = createEvent('instance_add', { iat: 250, instanceId: 'i-1' });

  expect(await lifecycle.accept(captured)).toMatchObject({ reason: 'after_uninstall' });
});

test('C06: small steps back do not add up to a large one', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1', { iat: 200 }));
  await lifecycle.accept(createAccessTokenEvent('c2', { iat: 196 }));

  expect(await lifecycle.accept(createAccessTokenEvent('c3', { iat: 192 }))).toMatchObject({
    reason: 'superseded',
  });
});

test('C07: two events of one second are both exchanged, and the last one counts', async () => {
  await lifecycle.accept(createAccessTokenEvent('first', { iat: 200 }));
  await lifecycle.accept(createAccessTokenEvent('second', { iat: 200 }));

  expect(world.exchangedCodes).toEqual(['first', 'second']);
  expect((await storedGrant())?.accessToken.reveal()).toBe('access of second');
});

test('C08: an uninstall during the exchange wins', async () => {
  await lifecycle.accept(createEvent('install'));
  const other = await world.start();
  world.redeem = async () => {
    await other.accept(createEvent('uninstall', { iat: 200 }));
    return {};
  };

  const answer = await lifecycle.accept(createAccessTokenEvent('c1'));

  expect(answer).toMatchObject({ status: 400, reason: 'after_uninstall' });
  expect(await storedGrant()).toBeUndefined();
});

test('C08: tokens of a life that ended during the exchange are not stored in the next life', async () => {
  await lifecycle.accept(createEvent('install'));
  const other = await world.start();
  world.redeem = async () => {
    await other.accept(createEvent('uninstall', { iat: 200 }));
    await other.accept(createEvent('install', { iat: 201 }));
    return {};
  };

  expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject({
    reason: 'after_uninstall',
  });
  expect(await installed()).toMatchObject({ generation: 2, status: 'pending' });
  expect(await storedGrant()).toBeUndefined();
});

test('C09: an access_token event captured before the uninstall is refused after it', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1'));
  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));

  expect(await lifecycle.accept(createAccessTokenEvent('captured', { iat: 150 }))).toMatchObject({
    reason: 'after_uninstall',
  });
  expect(world.exchangedCodes).toEqual(['c1']);
  expect((await installed()).status).toBe('uninstalled');
});

test('C09: an access_token event in the second of the uninstall does not revive an uninstalled plug-in', async () => {
  await lifecycle.accept(createEvent('install', { iat: 200 }));
  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));

  const late = createAccessTokenEvent('late', { iat: 200 });
  expect(await lifecycle.accept(late)).toMatchObject({ reason: 'after_uninstall' });
  expect(await installed()).toMatchObject({ generation: 1, status: 'uninstalled' });

  await lifecycle.accept(createEvent('install', { iat: 200, jti: 'again' }));
  const again = createAccessTokenEvent('again', { iat: 200 });
  expect(await lifecycle.accept(again)).toMatchObject({ status: 201 });
  expect(await installed()).toMatchObject({ generation: 2, status: 'active' });
});

const findInstance = (instanceId: string) =>
  world.store.installations.findByInstance(issuer, tenantId, instanceId, { unmatched: 'refuse' });

test('C09: a captured instance event does not revive an uninstalled plug-in', async () => {
  await lifecycle.accept(createEvent('install'));
  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));

  const late = createEvent('instance_add', { iat: 300, instanceId: 'i-1' });
  expect(await lifecycle.accept(late)).toMatchObject({ status: 201 });
  expect(await installed()).toMatchObject({ generation: 1, status: 'uninstalled' });
  expect(await findInstance('i-1')).toEqual({ outcome: 'tenant_unknown' });
});

test('a removed instance stays removed if its addition arrives later, or after a re-install', async () => {
  await lifecycle.accept(createEvent('install', { iat: 100 }));
  await lifecycle.accept(createEvent('instance_add', { iat: 110, instanceId: 'other' }));
  await lifecycle.accept(createEvent('instance_remove', { iat: 120, instanceId: 'i-1' }));
  await lifecycle.accept(createEvent('instance_add', { iat: 115, instanceId: 'i-1' }));
  expect(await findInstance('i-1')).toEqual({ outcome: 'instance_unknown' });

  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));
  await lifecycle.accept(createEvent('install', { iat: 300 }));
  expect(await findInstance('i-1')).toEqual({ outcome: 'instance_unknown' });
  expect(await findInstance('made-up')).toEqual({ outcome: 'instance_unknown' });
  expect(await findInstance('other')).toMatchObject({ outcome: 'found' });
});

test('a removal that arrives after the uninstall is refused, and recorded for a re-install', async () => {
  await lifecycle.accept(createEvent('install', { iat: 100 }));
  await lifecycle.accept(createEvent('instance_add', { iat: 110, instanceId: 'i-1' }));
  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));
  const late = createEvent('instance_remove', { iat: 150, instanceId: 'i-1' });

  expect(await lifecycle.accept(late)).toMatchObject({ reason: 'after_uninstall' });

  await lifecycle.accept(createEvent('install', { iat: 300 }));
  expect(await findInstance('i-1')).toEqual({ outcome: 'instance_unknown' });
});

test('C10: a late uninstall of the previous life does not affect the new one', async () => {
  await lifecycle.accept(createEvent('install', { iat: 100 }));
  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));
  await lifecycle.accept(createEvent('install', { iat: 300 }));
  await lifecycle.accept(createAccessTokenEvent('c1', { iat: 301 }));

  const late = createEvent('uninstall', { iat: 250, jti: 'late' });
  expect(await lifecycle.accept(late)).toMatchObject({ status: 201 });
  expect(await installed()).toMatchObject({ generation: 2, status: 'active' });
});
