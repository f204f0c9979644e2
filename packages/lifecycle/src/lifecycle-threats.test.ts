/** Threats and failures of replay, idempotency and order: rows C01–C16 and C08–C10 of docs/threats.md. */
import type { TokenSet } from '@dowel/installation-store';
import { Secret } from '@dowel/schema';
import { TokenRequestError } from '@dowel/token-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Lifecycle } from './lifecycle.ts';
import {
  createAccessTokenEvent,
  createEvent,
  createLifecycleWorld,
  issuer,
  type LifecycleWorld,
  pluginId,
  tenantId,
} from './testing/lifecycle-world.ts';

let world: LifecycleWorld;
let lifecycle: Lifecycle;

beforeEach(async () => {
  world = await createLifecycleWorld();
  lifecycle = await world.start();
});

afterEach(() => world.stop());

async function installed(key: { tenantId?: string; pluginId?: string } = {}) {
  const installation = await world.store.installations.find({ issuer, tenantId, pluginId, ...key });
  if (!installation) throw new Error('Nothing is installed');
  return installation;
}

async function storedGrant(key: { tenantId?: string; pluginId?: string } = {}) {
  return world.store.grants.load((await installed(key)).id);
}

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
  world.store.installations.findByInstance(issuer, tenantId, instanceId);

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

test('C11: a failed update keeps the previous tokens', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1'));
  world.redeem = () => Promise.reject(new TokenRequestError('invalid_grant', { rejected: true }));

  expect(await lifecycle.accept(createAccessTokenEvent('c2', { iat: 200 }))).toMatchObject({
    reason: 'exchange_rejected',
  });
  expect(await storedGrant()).toMatchObject({ tokenVersion: 1 });
  expect((await installed()).status).toBe('active');
});

test('C12: uninstalling one plug-in of one tenant affects no other installation', async () => {
  const otherTenant = crypto.randomUUID();
  const otherPlugin = crypto.randomUUID();
  await lifecycle.accept(createAccessTokenEvent('a-p'));
  await lifecycle.accept(createAccessTokenEvent('b-p', { tenantId: otherTenant }));
  await lifecycle.accept(createAccessTokenEvent('a-q', { pluginId: otherPlugin }));

  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));

  expect(await storedGrant()).toBeUndefined();
  expect((await storedGrant({ tenantId: otherTenant }))?.accessToken.reveal()).toBe(
    'access of b-p',
  );
  expect((await storedGrant({ pluginId: otherPlugin }))?.accessToken.reveal()).toBe(
    'access of a-q',
  );
});

test('B12, B13: one tenant claimed by two issuers is two separate installations', async () => {
  const squatter = {
    iss: 'https://squatter.example.com',
    base_url: 'https://squatter.example.com',
  };
  await lifecycle.accept(createAccessTokenEvent('squatter', squatter));
  await lifecycle.accept(createAccessTokenEvent('owner'));

  const found = await world.store.installations.findByInstance(issuer, tenantId, 'any');
  expect(found).toMatchObject({ outcome: 'found', installation: { issuer } });

  await lifecycle.accept(createEvent('uninstall', { iss: squatter.iss, iat: 200 }));
  expect((await storedGrant())?.accessToken.reveal()).toBe('access of owner');
  expect((await world.store.reports.listInstallations({ limit: 9 })).installations).toHaveLength(2);
});

test('C13: UUIDs in other letter case are the same installation', async () => {
  await lifecycle.accept(createEvent('install', { tenantId: tenantId.toUpperCase() }));
  await lifecycle.accept(createEvent('uninstall', { iat: 200, pluginId: pluginId.toUpperCase() }));

  expect((await installed()).status).toBe('uninstalled');
  expect((await world.store.reports.listInstallations({ limit: 9 })).installations).toHaveLength(1);
});

test('C14: a jti or code of one tenant may be used by another', async () => {
  const other = { tenantId: crypto.randomUUID(), jti: 'x' };
  await lifecycle.accept(createAccessTokenEvent('same', other));
  await lifecycle.accept(createEvent('install', other));

  expect(await lifecycle.accept(createEvent('install', { jti: 'x' }))).toMatchObject({
    status: 201,
  });
  expect(await lifecycle.accept(createAccessTokenEvent('same', { jti: 'x' }))).toMatchObject({
    status: 201,
  });
  expect((await installed()).status).toBe('active');
});

test('C15: a storm of events for one installation is limited, and other installations are not affected', async () => {
  const storm = await world.start({ exchangesPerMinute: 3 });
  const statuses = [];
  for (let count = 0; count < 10; count += 1) {
    statuses.push((await storm.accept(createAccessTokenEvent(`c${count}`))).status);
  }
  const calm = await storm.accept(
    createAccessTokenEvent('calm', { tenantId: crypto.randomUUID() }),
  );

  expect(statuses).toEqual([201, 201, 201, ...Array<number>(7).fill(429)]);
  expect(calm.status).toBe(201);
});

test.each([NaN, 0, 1.5, Infinity])(
  'a limit of %s exchanges per minute is refused',
  async (limit) => {
    await expect(world.start({ exchangesPerMinute: limit })).rejects.toThrow(
      `exchangesPerMinute must be a whole number from 1 to 9007199254740991, not ${limit}`,
    );
  },
);

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
