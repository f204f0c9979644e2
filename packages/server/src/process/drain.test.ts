/** A server stops while connections, a hook and an exchange are under way. */
import { createServer } from 'node:http';
import { openExistingStore } from '@dowel/installation-store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Hooks } from '../hooks/hooks.ts';
import type { ServerOptions } from '../server-options.ts';
import { readStoreSettings } from '../settings/read-configuration.ts';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import {
  calmStop,
  installAt,
  type ServerWorld,
  startServerWorld,
} from '../testing/server-world.ts';

const clients = 200;
const patience = { timeout: 120_000, interval: 20 };
let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** While the gate is closed, token requests wait. */
function createTokenGate() {
  let gate: PromiseWithResolvers<void> | undefined;
  let waiting = 0;
  const gatedFetch: typeof fetch = async (input, init) => {
    const isToken = String(input instanceof Request ? input.url : input).includes('grant_type=');
    if (isToken && gate) {
      waiting += 1;
      await gate.promise;
    }
    return fetch(input, init);
  };
  return {
    fetch: gatedFetch,
    close: () => {
      gate = Promise.withResolvers();
    },
    open: () => gate?.resolve(),
    countWaiting: () => waiting,
  };
}

/** Sends requests on kept connections until an answer closes them. Rejects for a reset. */
async function keepAsking(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/livez`);
    await response.text();
    if (response.headers.get('connection') === 'close') return;
  }
}

/** All connect before any asks again: a server takes one new connection in each turn, and busy ones make turns long. */
async function askWithMany(url: string) {
  const first = Array.from({ length: clients }, async () => (await fetch(`${url}/livez`)).text());
  await Promise.all(first);
  return { ended: Promise.all(Array.from({ length: clients }, () => keepAsking(url))) };
}

test('P1, S27: stops without a reset while connections, a hook and an exchange are under way', async () => {
  const gate = createTokenGate();
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const calls: string[] = [];
  const hooks: Hooks = {
    async instanceAdded({ id, attempt, signal }) {
      entered.resolve();
      await release.promise;
      calls.push(`${id} ${attempt} ${signal.aborted}`);
    },
  };
  const server = world.create({
    hooks,
    // The hook waits until every client was rejected.
    hookPolicy: { timeoutMs: 600_000 },
    fetch: gate.fetch,
    environment: calmStop,
  });
  const { url } = await server.start();
  const { pluginId } = await installAt(world, url);
  await entered.promise;
  const asking = await askWithMany(url);
  gate.close();
  const { platform, tenantId } = world;
  const delivery = platform.sendAccessTokenEvent({ tenantId, pluginId });
  await vi.waitFor(() => expect(gate.countWaiting()).toBe(1), patience);

  const closed = server.close();
  // Every client was sent away by an answer; a reset would be an error here.
  await asking.ended;
  gate.open();
  release.resolve();
  await closed;

  expect((await delivery).status).toBe(201);
  expect(calls).toEqual([expect.stringMatching(/^\S+ 1 false$/)]);
  const next = world.create({ hooks });
  await next.open();
  expect(await next.hooks.runDue()).toBe(0);
  expect(calls).toHaveLength(1);
});

test.each([
  [{ graceMs: Infinity }, 'The graceMs of drain must be a number of milliseconds'],
  [{ graceMs: Number.NaN }, 'The graceMs of drain must be a number of milliseconds'],
  [{ grace: 5_000 }, 'drain has no option grace. There are: graceMs'],
  [5_000, 'drain: options must be an object'],
])('drain(%o) is a slip that ends nothing', async (options, message) => {
  const server = world.create();
  await server.open();

  await expect(server.drain(options as object)).rejects.toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
  );

  expect(server.isReady()).toBe(true);
});

/** A server with a hook that does not end by itself. */
async function startStuckHook(changes: Partial<ServerOptions>) {
  const started = Promise.withResolvers<AbortSignal>();
  const stuck = Promise.withResolvers<void>();
  const server = world.create({
    hooks: {
      installed({ signal }) {
        started.resolve(signal);
        return stuck.promise;
      },
    },
    ...changes,
  });
  const { url } = await server.start();
  await installAt(world, url);
  return { server, signal: await started.promise, release: stuck.resolve };
}

test('close aborts a hook that does not end', async () => {
  const { server, signal, release } = await startStuckHook({ limits: { stopGraceMs: 1_000 } });

  await server.close();

  expect(signal.aborted).toBe(true);
  release();
});

test('the time of drain is that of hooks, too, and close does not give them another one', async () => {
  const { server, signal, release } = await startStuckHook({
    environment: calmStop,
    hookPolicy: { timeoutMs: 600_000 },
  });

  await server.drain({ graceMs: 1 });
  await server.close();

  expect(signal.aborted).toBe(true);
  release();
});

test('P1: a renewal that outlasts drain is stored before the store is closed', async () => {
  const gate = createTokenGate();
  const server = world.create({ fetch: gate.fetch });
  const { url } = await server.start();
  const { pluginId, instanceId } = await installAt(world, url);
  world.platform.revoke({ tenantId: world.tenantId, pluginId, what: 'accessTokens' });
  gate.close();
  let id = '';
  for await (const installation of server.installations.list()) {
    ({ id } = installation);
    const notification = { recipientId: world.userId, message: 'Lunch?' };
    server.notify({ installation, instanceId }, notification).catch(() => undefined);
  }
  await vi.waitFor(() => expect(gate.countWaiting()).toBe(1), patience);
  await server.drain({ graceMs: 1 });

  const closing = server.close();
  // Without the wait for the renewal, the store would be closed by then.
  await expect
    .poll(
      () =>
        fetch(`${url}/livez`).then(
          () => 'up',
          () => 'down',
        ),
      patience,
    )
    .toBe('down');
  gate.open();
  await closing;

  const store = await openExistingStore(readStoreSettings({ DOWEL_DATA_DIR: world.folder }));
  const stored = await store.grants.load(id);
  await store.close();
  expect(stored?.tokenVersion).toBe(2);
});

const countHooks = () => world.observations.filter(({ type }) => type === 'hook.delivered').length;

/** A server in a host, with a hook under way, and a route whose answers wait and then read the database. */
async function startHost(environment: Record<string, string>) {
  const hook = Promise.withResolvers<void>();
  const isCalled = Promise.withResolvers<void>();
  const requests = Promise.withResolvers<void>();
  const arrived: (() => void)[] = [];
  const host = createServer();
  const url = await listenOnLoopback(host);
  const server = world.create({
    environment: { ...environment, DOWEL_STOP_GRACE_MS: '600000' },
    publicUrl: url,
    hookPolicy: { timeoutMs: 600_000 },
    hooks: {
      installed() {
        isCalled.resolve();
        return hook.promise;
      },
    },
    publicRoutes: (router) =>
      router.get('/slow', async () => {
        arrived.shift()?.();
        await requests.promise;
        let count = 0;
        for await (const { id } of server.installations.list()) count += id === '' ? 0 : 1;
        return { body: `${count}` };
      }),
  });
  await server.open();
  host.on('request', server.callback());
  await installAt(world, url);
  await isCalled.promise;
  const ask = async () => {
    const isHere = new Promise<void>((resolve) => arrived.push(resolve));
    const answer = fetch(`${url}/slow`).then((response) => response.text());
    await isHere;
    return { answer };
  };
  return { host, server, url, ask, endHook: hook.resolve, endRequests: requests.resolve };
}

test('P1: a host that drains answers a request that came while a hook was under way', async () => {
  const { host, server, ask, endHook, endRequests } = await startHost({ DOWEL_DRAIN_MS: '0' });
  const drained = server.drain();
  const { answer } = await ask();
  endHook();
  await vi.waitFor(() => expect(countHooks()).toBe(1), patience);
  endRequests();

  await drained;
  host.close();
  await server.close();

  expect(await answer).toBe('1');
});

test('P1: a request that comes between drain and close is answered before the database is closed', async () => {
  const { host, server, ask, endHook, endRequests } = await startHost({ DOWEL_DRAIN_MS: '0' });
  endHook();
  await server.drain();
  const { answer } = await ask();

  host.close();
  const closed = server.close();
  endRequests();
  await closed;

  expect(await answer).toBe('1');
});

test('P1: a host that drains keeps its listener for DOWEL_DRAIN_MS, like that of start', async () => {
  const { host, server, url, endHook } = await startHost({ DOWEL_DRAIN_MS: '3000' });
  endHook();
  const asking = await askWithMany(url);

  const drained = server.drain();

  // Every client was sent away by an answer; a reset would be an error here.
  const sentAway = asking.ended.then(() => 'sent away');
  expect(await Promise.race([sentAway, drained.then(() => 'drained')])).toBe('sent away');
  await drained;
  host.close();
});

test('a server that was drained before it opened is not ready', async () => {
  const server = world.create();
  await server.drain();
  await server.open();

  const host = createServer(server.callback());
  const { status } = await fetch(`${await listenOnLoopback(host)}/readyz`);
  await closeHost(host);

  expect([status, server.isReady()]).toEqual([503, false]);
});

test('a server that is closed as soon as it is open logs no failure', async () => {
  for (let round = 0; round < 5; round += 1) {
    const server = world.create();
    await server.open();
    await server.close();
  }

  const failures = world.lines.filter(({ level }) => level === 'warn' || level === 'error');
  expect(failures).toEqual([]);
});

test('P1: a call that waits for a tenant without tokens is answered, and holds no stop up', async () => {
  const asked = Promise.withResolvers<void>();
  const { platform, tenantId, userId: recipientId } = world;
  const server = world.create({
    // The event that the trigger asks for never comes.
    fetch: (input, init) => {
      if (!/\/access_token\//.test(String(input))) return fetch(input, init);
      asked.resolve();
      return Promise.resolve(new Response(null, { status: 202 }));
    },
    publicRoutes: (router) =>
      router.get('/call', async () => {
        for await (const installation of server.installations.list()) {
          await server.notify({ installation, instanceId }, { recipientId, message: 'Lunch?' });
        }
      }),
  });
  const { url } = await server.start();
  const { pluginId, instanceId } = await installAt(world, url);
  platform.revoke({ tenantId, pluginId, what: 'accessTokens' });
  platform.revoke({ tenantId, pluginId, what: 'refreshTokens' });
  const call = fetch(`${url}/call`);
  await asked.promise;

  await server.close();

  const answer = await call;
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).not.toBeNull();
});
