/** Two BFF processes on one database: rows C03 and G05 of docs/threats.md. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPlatform } from '@dowel/emulator';
import { openSession } from '@dowel/server/testing';
import { afterEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Enough for a busy machine. */
const maxDeliveries = 100;
const againAfterMs = 100;
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

async function startBff(platformUrl: string): Promise<string> {
  const child = fork(join(root, 'apps/bff/src/main.ts'), {
    cwd: root,
    silent: true,
    env: {
      ...process.env,
      DOWEL_PORT: '0',
      DOWEL_DATA_DIR: folder,
      DOWEL_TRUST: `${platformUrl}=${platformUrl}/certificates/`,
    },
  });
  children.push(child);
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { url: string }));
    child.once('exit', (code) => reject(new Error(`The BFF ended with code ${code}`)));
  });
  return url;
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

  // The next event is held back and then delivered fifty times at once.
  isCaught = true;
  await platform.sendAccessTokenEvent({ tenantId, pluginId });
  const copies = Array.from({ length: 50 }, (_, index) =>
    deliver(`${bffs[index % 2]}/lifecycle/access_token`, body),
  );

  for (const response of await Promise.all(copies)) expect(response.status).toBe(201);
  expect(exchanges()).toBe(2);
});

/** A platform that knows the first of two processes, and a widget that both have a session for. */
async function startPlaced() {
  folder = await mkdtemp(join(tmpdir(), 'dowel-two-'));
  platformServer = createServer();
  const platformUrl = `http://127.0.0.1:${await listen(platformServer)}`;
  const platform = createPlatform({ origin: platformUrl, keyBits: 2048 });
  platformServer.on('request', platform.callback());
  const bffs = [await startBff(platformUrl), await startBff(platformUrl)] as const;
  const [tenant] = platform.tenants;
  const tenantId = tenant?.tenantId ?? '';
  const [user, colleague] = tenant?.users ?? [];
  const userId = user?.userId ?? '';
  const manifestUrl = `${bffs[0]}/manifest.json`;
  const { pluginId, entryPoints } = await platform.install({ tenantId, manifestUrl });
  const entryPointId = entryPoints[0]?.id ?? '';
  const { instanceId } = await platform.addInstance({ tenantId, pluginId, entryPointId });
  const createInitJwt = () =>
    platform.createInitJwt({ userId, instanceId, jti: crypto.randomUUID() });
  const postSession = (bff: string, initJwt: string) =>
    post(`${bff}/api/session`, { initJwt, instanceId });
  const initJwt = await createInitJwt();
  const sessionToken = await openSession(() => postSession(bffs[0], initJwt));
  const notify = async (bff: string) => {
    const notification = { recipientEmail: colleague?.email, message: 'Hello' };
    const headers = { authorization: `Bearer ${sessionToken}` };
    return (await post(`${bff}/api/createNotification`, notification, headers)).status;
  };
  for (const bff of bffs) expect(await notify(bff)).toBe(200);
  return { platform, bffs, tenantId, pluginId, instanceId, createInitJwt, postSession, notify };
}

test('G05, S15: after its removal an instance has no session on any process', async () => {
  const { platform, bffs, tenantId, pluginId, instanceId, ...page } = await startPlaced();
  const unused = await page.createInitJwt();

  await platform.removeInstance({ tenantId, pluginId, instanceId });

  for (const bff of bffs.toReversed()) expect(await page.notify(bff)).toBe(401);
  expect((await page.postSession(bffs[1], unused)).status).toBe(403);
});

test('G05, S15: after an uninstall no process has a session, and a new install brings none back', async () => {
  const { platform, bffs, tenantId, pluginId, ...page } = await startPlaced();
  const unused = await page.createInitJwt();

  await platform.uninstall({ tenantId, pluginId });

  for (const bff of bffs.toReversed()) expect(await page.notify(bff)).toBe(401);
  expect((await page.postSession(bffs[1], unused)).status).toBe(403);

  await platform.install({ tenantId, manifestUrl: `${bffs[0]}/manifest.json` });
  for (const bff of bffs.toReversed()) expect(await page.notify(bff)).toBe(401);
});

/** Sends again after a 503, like a platform. */
async function deliver(url: string, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (let deliveries = 1; ; deliveries += 1) {
    const response = await fetch(url, { method: 'POST', headers, body });
    if (response.status !== 503 || deliveries === maxDeliveries) return response;
    await response.body?.cancel();
    await pause(againAfterMs);
  }
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
