/** Answers of own routes that are still being sent when their session ends, or the server. */
import { createServer as createHttpServer } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { openExistingStore, type Store } from '@dowel/installation-store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readStoreSettings } from '../settings/read-configuration.ts';
import { listenOnLoopback } from '../testing/loopback.ts';
import {
  installAt,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';

let world: ServerWorld;
let store: Store | undefined;
/** The bodies that the routes send, in the order of the requests. */
let bodies: PassThrough[];

beforeEach(async () => {
  world = await startServerWorld();
  bodies = [];
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  for (const body of bodies) body.destroy();
  await world[Symbol.asyncDispose]();
});

function begin(): PassThrough {
  const body = new PassThrough();
  bodies.push(body);
  body.write('begun');
  return body;
}

const toWeb = (body: Readable) => Readable.toWeb(body) as ReadableStream;

/** Streams in each form that a route may return, by path. */
const forms: Record<string, () => object> = {
  '/ticks': begin,
  '/web': () => toWeb(begin()),
  '/response': () => new Response(toWeb(begin())),
};

const eventStream = { 'content-type': 'text/event-stream' };

function createServer() {
  return world.create({
    userRoutes: (router) => {
      for (const [path, form] of Object.entries(forms)) {
        router.get(path, () => ({ body: form() }));
      }
      router.get('/events', () => ({ headers: eventStream, body: begin() }));
    },
    publicRoutes: (router) => {
      router.get('/events', () => ({ headers: eventStream, body: begin() }));
      router.get('/file', () => ({ body: begin() }));
    },
  });
}

async function startServer(): Promise<string> {
  return (await createServer().start()).url;
}

/** Resolves when the first bytes have arrived. */
async function openStream(url: string, sessionToken: string, path = '/api/ticks') {
  const headers = { authorization: `Bearer ${sessionToken}` };
  const response = await fetch(`${url}${path}`, { headers });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  return reader;
}

/** Two processes on one database, each with a stream of one session. */
async function startStreams() {
  const urls = [await startServer(), await startServer()];
  const [url = ''] = urls;
  const { pluginId, instanceId } = await installAt(world, url);
  const sessionToken = await sessionTokenAt(world, url, instanceId);
  const readers = await Promise.all(urls.map((each) => openStream(each, sessionToken)));
  const { tenantId, issuer } = world;
  return { url, readers, pluginId, instanceId, installation: { issuer, tenantId, pluginId } };
}

const byOperator = async (installation: { issuer: string; tenantId: string; pluginId: string }) => {
  store = await openExistingStore(readStoreSettings({ DOWEL_DATA_DIR: world.folder }));
  const found = await store.installations.find(installation);
  expect(await store.operators.endSessions(found?.id ?? '', Date.now())).toBe(1);
};

test.each<[string, (streams: Awaited<ReturnType<typeof startStreams>>) => Promise<unknown>]>([
  ['uninstall', ({ installation }) => world.platform.uninstall(installation)],
  [
    'removal of its instance',
    ({ installation, instanceId }) =>
      world.platform.removeInstance({ ...installation, instanceId }),
  ],
  ['end by an operator', ({ installation }) => byOperator(installation)],
])('G05: after the %s, its streams are cut on every process', async (_, endSession) => {
  const streams = await startStreams();

  await endSession(streams);

  for (const reader of streams.readers) await expect(reader.read()).rejects.toThrow();
  await expect.poll(() => bodies.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

test.each(Object.keys(forms))('G05: a stream of %s is cut with its session', async (path) => {
  const url = await startServer();
  const { pluginId, instanceId } = await installAt(world, url);
  const sessionToken = await sessionTokenAt(world, url, instanceId);
  const reader = await openStream(url, sessionToken, `/api${path}`);

  await world.platform.uninstall({ tenantId: world.tenantId, pluginId });

  await expect(reader.read()).rejects.toThrow();
  await expect.poll(() => bodies[0]?.destroyed).toBe(true);
});

test('event streams end when the server begins to stop, and a download is sent to its end', async () => {
  const server = createServer();
  const { url } = await server.start();
  const { instanceId } = await installAt(world, url);
  const sessionToken = await sessionTokenAt(world, url, instanceId);
  const events = [
    await openStream(url, sessionToken, '/api/events'),
    await openStream(url, '', '/events'),
  ];
  const file = await openStream(url, '', '/file');

  const closed = server.close();
  for (const reader of events) await expect(reader.read()).rejects.toThrow();
  bodies.at(-1)?.end('whole');

  expect(new TextDecoder().decode((await file.read()).value)).toBe('whole');
  expect((await file.read()).done).toBe(true);
  await closed;
});

test('what is still sent after the grace of drain is cut, also in a host of its own', async () => {
  const server = createServer();
  await server.open();
  const host = createHttpServer(server.callback());
  const url = await listenOnLoopback(host);
  const file = await openStream(url, '', '/file');

  await server.drain({ graceMs: 1 });
  const hostClosed = new Promise((resolve) => host.close(resolve));
  await server.close();

  await expect(file.read()).rejects.toThrow();
  await hostClosed;
});

test('the streams of another widget go on, and end as their route ends them', async () => {
  const { url, readers, instanceId, installation } = await startStreams();
  const { tenantId, pluginId } = installation;
  const [entryPoint] = world.platform.plugins(tenantId).installations[0]?.entryPoints ?? [];
  const entryPointId = entryPoint?.id ?? '';
  const other = await world.platform.addInstance({ tenantId, pluginId, entryPointId });
  const sessionToken = await sessionTokenAt(world, url, other.instanceId);
  const neighbour = await openStream(url, sessionToken);

  await world.platform.removeInstance({ tenantId, pluginId, instanceId });
  for (const reader of readers) await expect(reader.read()).rejects.toThrow();
  bodies.at(-1)?.end('more');

  expect(new TextDecoder().decode((await neighbour.read()).value)).toBe('more');
  expect((await neighbour.read()).done).toBe(true);
});

test('a stream causes no warning of a leak', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  try {
    await startStreams();
  } finally {
    process.off('warning', note);
  }
  expect(warnings).toEqual([]);
});
