/** Row A19 of docs/threats.md: events and tokens for another plug-in change nothing here. */
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { hashToken } from '../sessions/opaque-token.ts';
import { createInstallEvent, expectRefusal, sendEvent } from '../testing/send-event.ts';
import { signInitJwt } from '../testing/sign-init-jwt.ts';
import { startWorld, type World } from '../testing/start-world.ts';
import { createOwnPlugins } from './own-plugins.ts';

let world: World;

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const ours = 'aaaaaaaa-0000-4000-8000-000000000001';
const alsoOurs = 'aaaaaaaa-0000-4000-8000-000000000002';
const foreign = 'ffffffff-0000-4000-8000-000000000003';

interface Line {
  msg?: string;
  reason?: string;
  pluginId?: string;
}

const linesOf = (name: string) =>
  world.logs.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === name);

async function install(claims: Record<string, unknown>): Promise<Response> {
  return sendEvent(world, await createInstallEvent(world, claims));
}

async function listPluginIds(): Promise<string[]> {
  const installations = await world.store.installations.listAfter('', 50);
  return installations.map(({ pluginId }) => pluginId);
}

async function openSession(claims: Record<string, unknown>, instanceId = 'i'): Promise<Response> {
  const initJwt = await signInitJwt(world, claims);
  return world.post('/api/session', { initJwt, instanceId });
}

test('an event of a plug-in that is not listed is refused and leaves nothing', async () => {
  world = await startWorld({ app: { pluginIds: [ours, alsoOurs] } });

  expect((await install({ pluginId: ours })).status).toBe(201);
  expect((await install({ pluginId: alsoOurs.toUpperCase() })).status).toBe(201);
  await expectRefusal(await install({ pluginId: foreign }), 400);
  await expectRefusal(await install({ pluginId: foreign }), 400);

  expect((await listPluginIds()).toSorted()).toEqual([ours, alsoOurs]);
  expect(linesOf('event.refused').map(({ reason }) => reason)).toEqual([
    'plugin_not_ours',
    'plugin_not_ours',
  ]);
  expect(linesOf('plugin.not_ours')).toMatchObject([
    { pluginId: foreign, tenantId: world.tenantId },
  ]);
});

test('without a list every plug-in is ours, and each new id is logged once', async () => {
  world = await startWorld();

  for (const pluginId of [ours, foreign, ours]) {
    expect((await install({ pluginId })).status).toBe(201);
  }

  const issuer = world.platform.tenants[0]?.baseUrl;
  expect(linesOf('plugin.seen')).toMatchObject([
    { pluginId: ours, issuer, tenantId: world.tenantId },
    { pluginId: foreign, issuer, tenantId: world.tenantId },
  ]);
});

test('the id of an unverified event is not logged', async () => {
  world = await startWorld({ app: { pluginIds: [ours] } });
  const eventJwt = await createInstallEvent(world, { pluginId: foreign });

  await expectRefusal(await sendEvent(world, `${eventJwt.slice(0, -8)}AAAAAAAA`), 400);

  expect(linesOf('plugin.not_ours')).toEqual([]);
});

test('a tenant cannot fill the list of seen ids', async () => {
  world = await startWorld();
  const lines: string[] = [];
  const plugins = createOwnPlugins([], pino({}, { write: (line: string) => lines.push(line) }));

  for (let index = 0; index < 3_000; index += 1) {
    plugins.admits(crypto.randomUUID(), { issuer: 'https://a.example', tenantId: 't' });
  }

  expect(lines).toHaveLength(1_001);
  expect(lines.at(-1)).toContain('plugin.seen.limit');
});

test('refused events of another plug-in do not limit the platform’s own address', async () => {
  world = await startWorld({ app: { pluginIds: [ours] } });
  const foreignJwt = await createInstallEvent(world, { pluginId: foreign });

  const refused = await Promise.all(Array.from({ length: 80 }, () => sendEvent(world, foreignJwt)));

  for (const response of refused) expect(response.status).toBe(400);
  expect((await install({ pluginId: ours })).status).toBe(201);
});

test('an init JWT that names another plug-in opens no session', async () => {
  world = await startWorld({ app: { pluginIds: [ours] } });
  await install({ pluginId: ours });

  expect((await openSession({})).status).toBe(201);
  expect((await openSession({ pluginId: ours.toUpperCase() })).status).toBe(201);
  for (const pluginId of [foreign, [ours], 5, null, '']) {
    expect((await openSession({ pluginId })).status).toBe(403);
  }
  expect(linesOf('event.refused').map(({ reason }) => reason)).toEqual(
    Array(5).fill('plugin_not_ours'),
  );
});

test('an installation that was made before the list has no sessions', async () => {
  world = await startWorld({ app: { pluginIds: [ours] } });
  await world.store.transaction(({ installations }) =>
    installations.begin(
      {
        issuer: world.platform.tenants[0]?.baseUrl ?? '',
        tenantId: world.tenantId,
        pluginId: foreign,
      },
      1,
      1,
    ),
  );
  const installation = await world.store.installations.find({
    issuer: world.platform.tenants[0]?.baseUrl ?? '',
    tenantId: world.tenantId,
    pluginId: foreign,
  });
  await world.store.sessions.createPluginSession(
    hashToken('earlier'),
    {
      installationId: installation?.id ?? '',
      generation: 1,
      userId: 'u',
      instanceId: 'i',
      expiresAt: Date.now() + 60_000,
    },
    'jti',
  );

  expect((await openSession({})).status).toBe(403);
  const notified = await world.notify('earlier', 'Hello');
  expect(await notified.json()).toEqual({
    code: 'SESSION_INVALID',
    message: 'The session has ended',
  });
});

test('an aud must name us: DOWEL_AUDIENCE says how', async () => {
  world = await startWorld({ app: { audience: ['nudge', 'https://plugin.example.org'] } });

  expect((await install({ pluginId: ours, aud: 'nudge' })).status).toBe(201);
  expect((await install({ pluginId: alsoOurs })).status).toBe(201);
  await expectRefusal(await install({ pluginId: foreign, aud: 'other' }), 400);
  expect((await openSession({ aud: 'other' })).status).toBe(403);
  expect((await listPluginIds()).toSorted()).toEqual([ours, alsoOurs]);
});
