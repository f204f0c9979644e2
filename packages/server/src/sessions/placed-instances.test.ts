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

test('a page whose src contains its tenant and its instance has a session of that instance', async () => {
  const { instanceId } = await world.install();
  const { tenantId } = world;

  for (const src of [
    `${tenantId}_${instanceId}`,
    `${tenantId}-${instanceId}`,
    `${tenantId}_${instanceId.toUpperCase()}`,
  ]) {
    const opened = await openSession(src, instanceId);
    const { sessionToken } = (await opened.json()) as { sessionToken: string };
    expect(opened.status).toBe(201);
    // The emulated platform knows the instance by its own id only.
    expect((await world.notify(sessionToken, src)).status).toBe(200);
  }
  expect(await refusals()).toEqual([]);
});

test('G20: a made-up src opens sessions until a page has named a placed instance', async () => {
  const { instanceId } = await world.install();

  const early = await openSession('made-up', instanceId);
  const again = await openSession('another', instanceId);
  expect([early.status, again.status]).toEqual([201, 201]);
  expect((await openSession(instanceId, instanceId)).status).toBe(201);
  expect((await openSession('made-up', instanceId)).status).toBe(403);

  expect(await refusals()).toEqual(['instance_unknown']);
  const lines = world.logs.filter((line) => line.includes('session.unmatched'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"form":"<text 4>-<text 2>"');
});

test('a src that names the plug-in only still opens sessions when a second widget is placed', async () => {
  const { pluginId, instanceId } = await world.install();
  const { platform, tenantId } = world;
  const src = `${tenantId}_${pluginId}`;
  expect((await openSession(src, instanceId)).status).toBe(201);

  const [entryPoint] = platform.plugins(tenantId).installations[0]?.entryPoints ?? [];
  await platform.addInstance({ tenantId, pluginId, entryPointId: entryPoint?.id ?? '' });

  expect((await openSession(src, instanceId)).status).toBe(201);
});

test('before a page has matched, a session of an unknown src uses the only placed instance', async () => {
  const { instanceId } = await world.install();
  const opened = await openSession('made-up', instanceId);
  const { sessionToken } = (await opened.json()) as { sessionToken: string };

  expect((await world.notify(sessionToken, 'Lunch?')).status).toBe(200);
});

test('G20: a page of a removed instance opens no session, even before any page has matched', async () => {
  const { pluginId, instanceId } = await world.install();
  const other = await world.createInitJwt(instanceId);
  await world.platform.removeInstance({ tenantId: world.tenantId, pluginId, instanceId });

  const src = `${world.tenantId}_${instanceId}`;
  const refused = await world.post('/api/session', { initJwt: other, instanceId: src });

  expect(refused.status).toBe(403);
});

test.each([
  ['refuse', [403, 201, 403]],
  ['allow', [201, 201, 201]],
] as const)(
  'with sessions.unmatched %s, sessions of a made-up src, a placed one and a made-up one are %j',
  async (unmatched, expected) => {
    await using strict = await startWorld({ app: { sessions: { unmatched } } });
    const { instanceId } = await strict.install();

    const statuses = [];
    for (const src of ['made-up', instanceId, 'made-up']) {
      const initJwt = await strict.createInitJwt(instanceId);
      statuses.push((await strict.post('/api/session', { initJwt, instanceId: src })).status);
    }

    expect(statuses).toEqual(expected);
  },
);

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
