/** What keeps installations apart: rows B12, B13 and C12–C15 of docs/threats.md. */
import type { InstallationKey } from '@dowel/installation-store';
import { afterEach, beforeEach, expect, test } from 'vitest';
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

const installed = (key?: Partial<InstallationKey>) => world.findInstalled(key);
const storedGrant = (key?: Partial<InstallationKey>) => world.loadGrant(key);

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
  expect(await world.store.installations.listAfter('', 9)).toHaveLength(2);
});

test('a tenant that moves is answered with its older address, which works again after its next event', async () => {
  const iss = 'https://moved.example.com';
  const moved = await world.start({
    isSamePlatform: (one, other) => one === iss && other === issuer,
  });
  const hasMoved = async () => (await installed()).hasMoved;
  await moved.accept(createAccessTokenEvent('old'));
  const event = createAccessTokenEvent('new', { iss, base_url: iss, iat: 200 });
  const answer = await moved.accept(event);

  const { id } = await installed();
  const installationId = (await installed({ issuer: iss })).id;
  expect(answer.olderAddresses).toEqual({
    installationId,
    others: [{ id, issuer, mayRest: true }],
  });
  expect(await hasMoved()).toBe(true);
  expect((await moved.accept(event)).olderAddresses).toBeUndefined();
  await moved.accept(createEvent('instance_add', { iat: 300, instanceId: 'i' }));
  expect(await hasMoved()).toBe(false);
});

test('B12: a tenant id that another platform claims moves nothing, and is answered', async () => {
  const iss = 'https://squatter.example.com';
  await lifecycle.accept(createAccessTokenEvent('owner'));
  const event = createAccessTokenEvent('squatter', { iss, base_url: iss, iat: 200 });
  const answer = await lifecycle.accept(event);

  expect(answer.olderAddresses?.others).toMatchObject([{ issuer, mayRest: false }]);
  expect((await installed()).hasMoved).toBe(false);
});

test('C13: UUIDs in other letter case are the same installation', async () => {
  await lifecycle.accept(createEvent('install', { tenantId: tenantId.toUpperCase() }));
  await lifecycle.accept(createEvent('uninstall', { iat: 200, pluginId: pluginId.toUpperCase() }));

  expect((await installed()).status).toBe('uninstalled');
  expect(await world.store.installations.listAfter('', 9)).toHaveLength(1);
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
