/** The widgets that may open sessions: docs/decisions/0023-placed-instances.md. */
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInstallEvent, sendEvent } from '../testing/send-event.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

/** The init JWT is the platform's; the instance id is the page's. */
async function openSession(claimed: string, placed: string): Promise<Response> {
  const initJwt = await world.createInitJwt(placed);
  return world.post('/api/session', { initJwt, instanceId: claimed });
}

async function refusals(): Promise<string[]> {
  const lines = world.logs.map((line) => JSON.parse(line) as { msg?: string; reason?: string });
  return lines.flatMap(({ msg, reason }) => (msg === 'event.refused' ? [reason ?? ''] : []));
}

test('a made-up instance opens no session once the platform has sent instance events', async () => {
  const { instanceId } = await world.install();

  expect((await openSession('made-up', instanceId)).status).toBe(403);
  expect((await openSession(instanceId, instanceId)).status).toBe(201);
  expect(await refusals()).toEqual(['instance_unknown']);
});

test('without any instance event the only installation has every instance', async () => {
  const { instanceId } = await world.install();
  const pluginId = crypto.randomUUID();
  const iss = world.platform.tenants[1]?.baseUrl ?? '';
  const tenantId = world.platform.tenants[1]?.tenantId ?? '';
  const installJwt = await createInstallEvent(world, { iss, tenantId, pluginId });
  expect((await sendEvent(world, installJwt)).status).toBe(201);
  const userId = world.platform.tenants[1]?.users[0]?.userId;
  const iat = Math.floor(Date.now() / 1000);
  const initJwt = await world.platform.sign({
    iss,
    sub: 'init',
    iat,
    exp: iat + 60,
    jti: 'j',
    'ctx.tenantId': tenantId,
    'ctx.userId': userId,
  });

  expect((await world.post('/api/session', { initJwt, instanceId })).status).toBe(201);
});

test('a removed instance loses its sessions, and opens no new one', async () => {
  const { pluginId, instanceId } = await world.install();
  const session = await world.openSession(instanceId);
  const initJwt = await world.createInitJwt(instanceId);
  expect((await world.notify(session, 'Before')).status).toBe(200);

  await world.platform.removeInstance({ tenantId: world.tenantId, pluginId, instanceId });

  expect((await world.notify(session, 'After')).status).toBe(401);
  expect((await world.post('/api/session', { initJwt, instanceId })).status).toBe(403);
});

test('a session that ends while its request is read sends nothing', async () => {
  const { pluginId, instanceId } = await world.install();
  const session = await world.openSession(instanceId);
  const find = vi.spyOn(world.store.sessions, 'findPluginSession');
  const notification = { recipientEmail: world.colleague.email, message: 'Slow' };
  // A small body is read before the session is looked up.
  const body = JSON.stringify(notification).padEnd(20_000);
  const headers = {
    authorization: `Bearer ${session}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const slow = request(`${world.url}/api/createNotification`, { method: 'POST', headers });
  const status = new Promise((resolve, reject) => {
    slow.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
  });
  slow.write(body.slice(0, 5));
  await vi.waitFor(() => expect(find).toHaveResolvedTimes(1), 120_000);

  await world.platform.removeInstance({ tenantId: world.tenantId, pluginId, instanceId });
  slow.end(body.slice(5));

  expect(await status).toBe(401);
  expect(world.platform.notifications(world.colleague.userId)).toEqual([]);
});
