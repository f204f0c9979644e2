/** The effect of each event without failures (Spec §3, §4.1, §6). */
import { describeInstallation } from '@dowel/installation-store/testing';
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

async function installed() {
  const installation = await world.store.installations.find({ issuer, tenantId, pluginId });
  if (!installation) throw new Error('Nothing is installed');
  return installation;
}

test('install and access_token make an active installation', async () => {
  expect(await lifecycle.accept(createEvent('install'))).toMatchObject({ status: 201, body: {} });
  expect((await installed()).status).toBe('pending');

  expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject({ status: 201 });
  expect((await installed()).status).toBe('active');
});

test('an access_token event without an install before it creates the installation', async () => {
  expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject({ status: 201 });
  expect((await installed()).status).toBe('active');
});

test('an access_token event at any time replaces the tokens', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1'));
  await lifecycle.accept(createAccessTokenEvent('c2', { iat: 200 }));

  const grant = await world.store.grants.load((await installed()).id);
  expect(grant?.accessToken.reveal()).toBe('access of c2');
  expect(grant?.tokenVersion).toBe(2);
});

test('instances are added and removed', async () => {
  await lifecycle.accept(createEvent('install'));
  await lifecycle.accept(createEvent('instance_add', { instanceId: 'i-1' }));
  await lifecycle.accept(createEvent('instance_add', { instanceId: 'i-2' }));
  await lifecycle.accept(createEvent('instance_remove', { instanceId: 'i-1' }));

  const report = await describeInstallation(world.store, (await installed()).id);
  expect(report?.instanceIds).toEqual(['i-2']);
  expect(report?.events).toHaveLength(4);
});

test('uninstall deletes tokens and keeps instances for a later install', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1'));
  await lifecycle.accept(createEvent('instance_add', { instanceId: 'i-1' }));
  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));

  const { id, status } = await installed();
  expect(status).toBe('uninstalled');
  expect(await world.store.grants.load(id)).toBeUndefined();
  expect((await describeInstallation(world.store, id))?.instanceIds).toEqual(['i-1']);
});

test('an uninstall of an unknown installation is accepted and leaves a tombstone', async () => {
  expect(await lifecycle.accept(createEvent('uninstall'))).toMatchObject({ status: 201 });
  expect(await installed()).toMatchObject({ status: 'uninstalled', generation: 0 });
});

test('an install after an uninstall begins the next generation', async () => {
  await lifecycle.accept(createEvent('install', { iat: 100 }));
  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));
  await lifecycle.accept(createEvent('install', { iat: 300 }));

  expect(await installed()).toMatchObject({ generation: 2, status: 'pending' });
});

test('a re-install without an uninstall keeps the life, and the tokens until new ones arrive', async () => {
  await lifecycle.accept(createEvent('install', { iat: 100 }));
  await lifecycle.accept(createAccessTokenEvent('c1'));

  expect(await lifecycle.accept(createEvent('install', { iat: 300 }))).toMatchObject({
    status: 201,
  });
  expect(await installed()).toMatchObject({ generation: 1, status: 'active' });

  await lifecycle.accept(createAccessTokenEvent('c2', { iat: 301 }));
  const grant = await world.store.grants.load((await installed()).id);
  expect(grant?.accessToken.reveal()).toBe('access of c2');
});

test('the history has the request, the claims that are no secrets, and the answer', async () => {
  const unknown = [{ pointer: '/client/?', type: 'string' }];
  const event = createAccessTokenEvent('canary-code', {}, { client_secret: 'canary-secret' });
  await lifecycle.accept(event, { requestId: 'r-1', unknown });
  await lifecycle.accept(createEvent('instance_add', { instanceId: 'i-1' }));
  await lifecycle.accept(createEvent('uninstall', { iat: 200 }));
  await lifecycle.accept(createAccessTokenEvent('c2', { iat: 150 }), { requestId: 'r-2' });

  const { id } = await installed();
  const page = { limit: 10, kinds: ['event'] as const };
  const { entries } = await world.store.reports.listTimeline(id, page);
  const details = entries.map(({ entry }) => ('detail' in entry ? entry.detail : null));
  expect(details).toEqual([
    {
      requestId: 'r-2',
      claims: expect.objectContaining({ iat: 150, base_url: expect.any(String) }),
      answer: { code: 400, message: 'The plug-in is not installed' },
    },
    { claims: expect.objectContaining({ iat: 200 }) },
    { claims: expect.objectContaining({ instanceId: 'i-1' }) },
    { requestId: 'r-1', claims: expect.objectContaining({ base_url: event.base_url }), unknown },
  ]);
  expect(JSON.stringify(details)).not.toContain('canary');
});
