/** Several plug-ins in one process: what belongs to one does not work at another's URLs. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PluginOptions, Server } from '../server-options.ts';
import { createInstallEvent } from '../testing/send-event.ts';
import {
  installAt,
  openSessionAt,
  readSampleManifest,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';

let world: ServerWorld;
let server: Server;
let url: string;

beforeEach(async () => {
  world = await startServerWorld();
  const manifest = await readSampleManifest();
  const votes = (name: string): PluginOptions => ({
    manifest,
    userRoutes: (router) =>
      router.get('/votes', ({ caller, log }) => {
        log.info('votes.read');
        return { body: { name, id: caller.user.id } };
      }),
  });
  server = world.create({ plugins: { polls: votes('polls'), lunch: votes('lunch') } });
  ({ url } = await server.start());
});
afterEach(() => world[Symbol.asyncDispose]());

async function list(plugin?: string): Promise<string[]> {
  const names: string[] = [];
  for await (const each of server.installations.list(plugin === undefined ? {} : { plugin })) {
    names.push(`${each.plugin} ${each.pluginId}`);
  }
  return names;
}

/** Signed a second later than the installation, so that it is not out of date. */
function signInstall(claims: Record<string, unknown>): Promise<string> {
  const iat = Math.floor(Date.now() / 1000) + 1;
  return createInstallEvent(world, { iat, exp: iat + 60, ...claims });
}

const postEvent = (plugin: string, body: string, event = 'install') =>
  fetch(`${url}/${plugin}/lifecycle/${event}`, {
    method: 'POST',
    headers: { 'content-type': 'application/jwt' },
    body,
  });

const callVotes = (plugin: string, sessionToken: string) =>
  fetch(`${url}/${plugin}/api/votes`, { headers: { authorization: `Bearer ${sessionToken}` } });

test('each plug-in is installed, has sessions and routes at its own path', async () => {
  const polls = await installAt(world, `${url}/polls`);
  const lunch = await installAt(world, `${url}/lunch`);
  const sessionToken = await sessionTokenAt(world, `${url}/lunch`, lunch.instanceId);

  const answer = await callVotes('lunch', sessionToken);

  expect(await answer.json()).toEqual({ name: 'lunch', id: world.userId });
  expect((await list()).toSorted()).toEqual(
    [`polls ${polls.pluginId}`, `lunch ${lunch.pluginId}`].toSorted(),
  );
  expect(await list('polls')).toEqual([`polls ${polls.pluginId}`]);
});

test('a line of the log names the plug-in, and that of a refused event the host it claims', async () => {
  await postEvent('lunch', await signInstall({ iss: 'https://other.example.com' }));
  const { instanceId } = await installAt(world, `${url}/lunch`);
  await callVotes('lunch', await sessionTokenAt(world, `${url}/lunch`, instanceId));

  const named = world.lines.filter(({ fields }) => fields.plugin === 'lunch');
  expect(named.map(({ message }) => message)).toEqual(['event.refused', 'votes.read']);
  expect(named[0]?.fields.claimedHost).toBe('other.example.com');
});

test('S16: a session of one plug-in is none at another’s URLs', async () => {
  const { instanceId } = await installAt(world, `${url}/polls`);
  const sessionToken = await sessionTokenAt(world, `${url}/polls`, instanceId);

  expect((await callVotes('polls', sessionToken)).status).toBe(200);
  expect((await callVotes('lunch', sessionToken)).status).toBe(401);
});

test('S16: an instance of one plug-in opens no session at another’s URL', async () => {
  const { instanceId } = await installAt(world, `${url}/polls`);

  expect((await openSessionAt(world, `${url}/lunch`, instanceId)).status).toBe(403);
  expect((await openSessionAt(world, `${url}/polls`, instanceId)).status).toBe(201);
});

test('without instance events, each plug-in of a tenant has its own sessions', async () => {
  const manifest = await readSampleManifest();
  const quiet: PluginOptions = {
    manifest: { ...manifest, lifecycle: { url: 'lifecycle/', events: ['install', 'uninstall'] } },
  };
  const { url: quietUrl } = await world
    .create({
      plugins: { polls: quiet, lunch: quiet },
      database: { path: join(world.folder, 'quiet.sqlite') },
    })
    .start();
  const polls = await installAt(world, `${quietUrl}/polls`);
  expect((await openSessionAt(world, `${quietUrl}/lunch`, polls.instanceId)).status).toBe(403);

  const lunch = await installAt(world, `${quietUrl}/lunch`);

  expect((await openSessionAt(world, `${quietUrl}/polls`, polls.instanceId)).status).toBe(201);
  expect((await openSessionAt(world, `${quietUrl}/lunch`, lunch.instanceId)).status).toBe(201);
});

test('S16: an event for an installation of one plug-in is refused at another’s URL, and changes nothing', async () => {
  const { pluginId, instanceId } = await installAt(world, `${url}/polls`);
  const before = await list();

  const again = await postEvent('lunch', await signInstall({ pluginId }));
  const end = await signInstall({ pluginId, sub: 'uninstall' });
  const ended = await postEvent('lunch', end, 'uninstall');
  const removal = await signInstall({ pluginId, sub: 'instance_remove', instanceId });
  const removed = await postEvent('lunch', removal, 'instance_remove');

  expect([again.status, ended.status, removed.status]).toEqual([400, 400, 400]);
  expect(await list()).toEqual(before);
  expect((await openSessionAt(world, `${url}/polls`, instanceId)).status).toBe(201);
});

test('an early uninstall at one plug-in’s URL does not stop a later install at another’s', async () => {
  const pluginId = crypto.randomUUID();
  const early = await signInstall({ pluginId, sub: 'uninstall' });
  await postEvent('lunch', early, 'uninstall');
  const iat = Math.floor(Date.now() / 1000) + 30;

  const later = await postEvent('polls', await signInstall({ pluginId, iat, exp: iat + 60 }));

  expect(later.status).toBe(201);
  expect(await list()).toEqual([`polls ${pluginId}`]);
});

test('health is served once, and the OpenAPI document for each plug-in', async () => {
  for (const path of ['/livez', '/readyz', '/polls/openapi.json']) {
    expect((await fetch(`${url}${path}`)).status).toBe(200);
  }
  for (const path of ['/polls/livez', '/polls/readyz', '/openapi.json']) {
    expect((await fetch(`${url}${path}`)).status).toBe(404);
  }
});
