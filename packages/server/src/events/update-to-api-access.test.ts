/** An update that adds apiAccess, from the platform's request to a call (Spec §3, §6). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
let server: Server;
let manifest: Record<string, unknown>;
let apiAccess: Record<string, unknown>;
let key: { tenantId: string; pluginId: string };

/** Installs a version without apiAccess, then publishes one that has it. */
beforeEach(async () => {
  world = await startWorld();
  const own = await fetch(`${world.url}/manifest.json`);
  const { apiAccess: section, lifecycle, ...rest } = (await own.json()) as typeof manifest;
  apiAccess = { ...(section as object), url: `${world.url}/lifecycle/` };
  manifest = { ...rest, lifecycle: { ...(lifecycle as object), url: `${world.url}/lifecycle/` } };
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(manifest));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { tenantId } = world;
  const manifestUrl = `http://127.0.0.1:${port}/manifest.json`;
  const { pluginId } = await world.platform.install({ tenantId, manifestUrl });
  key = { tenantId, pluginId };
  manifest = { ...manifest, apiAccess, pluginVersion: '2.0.0' };
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function installed() {
  const [installation] = await world.store.installations.listAfter('', 1);
  return installation;
}

const events = () =>
  world.platform.exchanges({ kind: 'event' }).map(({ event, status }) => [event, status]);

test('an update that adds apiAccess succeeds, and the plug-in has access', async () => {
  expect(await installed()).toMatchObject({ status: 'pending', baseUrl: null });

  const updated = await world.platform.update(key);

  expect(updated).toMatchObject({ pluginVersion: '2.0.0', requestedScopes: ['plugin:notify'] });
  expect(await installed()).toMatchObject({ status: 'active', generation: 1 });
  expect(events().at(-1)).toEqual(['access_token', 201]);
  const [{ id: entryPointId = '' } = {}] = manifest.entryPoints as { id?: string }[];
  const { instanceId } = await world.platform.addInstance({ ...key, entryPointId });
  const sent = await world.notify(await world.openSession(instanceId), 'Updated');
  expect(sent.status).toBe(200);
});

test('an update that is refused fails, no uninstall follows, and the next update succeeds', async () => {
  world.platform.changeLab(world.tenantId, { grantedScopes: [] });

  await expect(world.platform.update(key)).rejects.toMatchObject({ code: 'REFUSED' });

  expect(events()).toEqual([
    ['install', 201],
    ['access_token', 400],
  ]);
  expect(await installed()).toMatchObject({ status: 'pending', generation: 1, baseUrl: null });
  world.platform.changeLab(world.tenantId, { grantedScopes: ['plugin:notify'] });
  await world.platform.update(key);
  expect(await installed()).toMatchObject({ status: 'active', generation: 1 });
});
