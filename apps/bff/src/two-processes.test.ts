/** Two BFFs as processes of their own on one database: row C03 of the catalogue. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPlatform } from '@dowel/emulator';
import { afterEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const children: ChildProcess[] = [];
let folder: string;
let platformServer: Server;

afterEach(async () => {
  for (const child of children.splice(0)) {
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.disconnect();
    await exit;
  }
  platformServer.closeAllConnections();
  platformServer.close();
  await rm(folder, { recursive: true });
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startBff(platformUrl: string): Promise<string> {
  const port = await findFreePort();
  const child = fork(join(root, 'apps/bff/src/main.ts'), {
    cwd: root,
    silent: true,
    env: {
      ...process.env,
      DOWEL_PORT: String(port),
      DOWEL_DATA_DIR: folder,
      DOWEL_TRUST: `${platformUrl}=${platformUrl}/certificates/`,
    },
  });
  children.push(child);
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`The BFF ended with code ${code}`)));
  });
  return `http://127.0.0.1:${port}`;
}

test('C03: fifty copies of one event at two processes exchange its code once', async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-two-'));
  platformServer = createServer();
  const platformUrl = `http://127.0.0.1:${await listen(platformServer)}`;
  let body = '';
  let isCaught = false;
  const platform = createPlatform({
    origin: platformUrl,
    keyBits: 2048,
    fetch: async (input, init) => {
      if (!String(input).endsWith('/access_token')) return fetch(input, init);
      const request = new Request(input, init);
      body = await request.clone().text();
      return isCaught ? Response.json({}, { status: 201 }) : fetch(request);
    },
  });
  platformServer.on('request', platform.callback());
  const bffs = [await startBff(platformUrl), await startBff(platformUrl)];
  const tenantId = platform.tenants[0]?.tenantId ?? '';
  const manifestUrl = `${bffs[0]}/manifest.json`;

  const { pluginId } = await platform.install({ tenantId, manifestUrl });
  const exchanges = () =>
    platform
      .plugins(tenantId)
      .tokenRequests.filter(({ grantType }) => grantType === 'authorization_code').length;
  expect(exchanges()).toBe(1);

  // The next event is only caught, and then delivered fifty times at once.
  isCaught = true;
  await platform.sendAccessTokenEvent({ tenantId, pluginId });
  const copies = Array.from({ length: 50 }, (_, index) =>
    fetch(`${bffs[index % 2]}/lifecycle/access_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    }),
  );

  for (const response of await Promise.all(copies)) expect(response.status).toBe(201);
  expect(exchanges()).toBe(2);
});
