/** Two BFF processes on one database: rows C03 and G05 of docs/threats.md. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPlatform, type Platform } from '@dowel/emulator';
import { openSession } from '@dowel/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Enough for a busy machine. */
const maxDeliveries = 100;
const againAfterMs = 100;
const children: ChildProcess[] = [];
let folder: string;
let platformServer: Server;
let platform: Platform;
let bffs: readonly [string, string];
let tenantId: string;
/** While it is set, an access_token event is kept here and not delivered. */
let caught: string[] | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-two-'));
  // A pooled connection must not meet a closing socket.
  platformServer = createServer({ keepAliveTimeout: 120_000 });
  const platformUrl = `http://127.0.0.1:${await listen(platformServer)}`;
  platform = createPlatform({
    origin: platformUrl,
    keyBits: 2048,
    fetch: async (input, init) => {
      const isEvent = String(input).endsWith('/access_token');
      if (!caught || !isEvent) return fetch(input, init);
      caught.push(await new Request(input, init).text());
      return Response.json({}, { status: 201 });
    },
  });
  platformServer.on('request', platform.callback());
  bffs = [await startBff(platformUrl), await startBff(platformUrl)];
  tenantId = platform.tenants[0]?.tenantId ?? '';
});

afterAll(async () => {
  for (const child of children) {
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
  const { pluginId } = await install();
  const exchanges = () => platform.exchanges({ tenantId, kind: 'code' }).length;
  expect(exchanges()).toBe(1);

  // The next event is held back and then delivered fifty times at once.
  caught = [];
  await platform.sendAccessTokenEvent({ tenantId, pluginId });
  const [body = ''] = caught;
  caught = undefined;
  const copies = Array.from({ length: 50 }, (_, index) =>
    deliver(`${bffs[index % 2]}/lifecycle/access_token`, body),
  );

  for (const response of await Promise.all(copies)) expect(response.status).toBe(201);
  expect(exchanges()).toBe(2);
});

const install = () => platform.install({ tenantId, manifestUrl: `${bffs[0]}/manifest.json` });

/** A widget that both processes have a session for. */
async function place() {
  const [user, colleague] = platform.tenants[0]?.users ?? [];
  const userId = user?.userId ?? '';
  const { pluginId, entryPoints } = await install();
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
  return { pluginId, instanceId, createInitJwt, postSession, notify };
}

test('G05, S15: after its removal an instance has no session on any process', async () => {
  const { pluginId, instanceId, ...page } = await place();
  const unused = await page.createInitJwt();

  await platform.removeInstance({ tenantId, pluginId, instanceId });

  for (const bff of bffs.toReversed()) await expect.poll(() => page.notify(bff)).toBe(401);
  expect((await page.postSession(bffs[1], unused)).status).toBe(403);
});

test('G05, S15: after an uninstall no process has a session, and a new install brings none back', async () => {
  const { pluginId, ...page } = await place();
  const unused = await page.createInitJwt();

  await platform.uninstall({ tenantId, pluginId });

  for (const bff of bffs.toReversed()) await expect.poll(() => page.notify(bff)).toBe(401);
  expect((await page.postSession(bffs[1], unused)).status).toBe(403);

  await install();
  for (const bff of bffs.toReversed()) await expect.poll(() => page.notify(bff)).toBe(401);
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
