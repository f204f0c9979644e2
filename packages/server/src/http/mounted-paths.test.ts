/** Whose request it is, in hosts that change its path, and in those that answer everything else. */
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Server } from '../server-options.ts';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import {
  installAt,
  openSessionAt,
  type ServerWorld,
  startServerWorld,
} from '../testing/server-world.ts';
import { createHandlerContext, handleRequest } from './node-handler.ts';

let world: ServerWorld;
let host: HttpServer;

beforeEach(async () => {
  world = await startServerWorld();
  host = createServer();
});
afterEach(async () => {
  await closeHost(host);
  await world[Symbol.asyncDispose]();
});

/** Opens a server whose public URL has the host's port and this base path. */
async function openServer(base: string): Promise<{ server: Server; url: string }> {
  const url = `${await listenOnLoopback(host)}${base}`;
  const server = world.create({ publicUrl: url });
  await server.open();
  return { server, url };
}

test('S02: Connect takes the base path off once, also when a route begins with its name', async () => {
  const { server, url } = await openServer('/api');
  const handle = server.callback();
  // As `connect().use('/api', …)` does.
  host.on('request', (request: IncomingMessage & { originalUrl?: string }, response) => {
    const { url: target = '' } = request;
    request.originalUrl = target;
    const rest = target.slice('/api'.length);
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
    void handle(request, response);
  });

  const { instanceId } = await installAt(world, url);

  expect((await openSessionAt(world, url, instanceId)).status).toBe(201);
  for (const path of ['', '?x', '/']) expect((await fetch(`${url}${path}`)).status).toBe(404);
});

/** What Express and Connect make of a request's URL below the path at which they mount a handler. */
const mounts = {
  Express: (target: string, mounted: string) => ({
    baseUrl: target.slice(0, mounted.length),
    originalUrl: target,
    url: target.slice(mounted.length),
  }),
  Connect: (target: string, mounted: string) => ({
    originalUrl: target,
    url: target.slice(mounted.length),
  }),
};

test.each([
  ['Express', '/polls', '/POLLS/livez'],
  ['Express', '/polls', '/Polls/polls/livez'],
  ['Express', '/polls', '/POLLS/livez?x'],
  ['Connect', '/polls', '/POLLS/livez'],
  ['Connect', '/polls', '/POLLS/polls/livez'],
  ['Express', '/a', '/A/polls/livez'],
  ['Express', '/a', '/A/livez'],
] as const)(
  'S02: in %s at %s, %s is not below the base path as it is written',
  async (kind, mounted, target) => {
    const { server } = await openServer(mounted === '/polls' ? mounted : `${mounted}/polls`);
    const handle = server.callback();
    host.on('request', (request, response) => {
      Object.assign(request, mounts[kind](request.url ?? '', mounted));
      void handle(request, response, () => void response.writeHead(418).end());
    });
    const exact = `${mounted === '/polls' ? '' : mounted}/polls/livez`;

    expect(await askRaw(target)).toMatch(/^HTTP\/1\.1 418 /);
    expect(await askRaw(exact)).toMatch(/^HTTP\/1\.1 200 /);
  },
);

/** The first line of the answer to a request with exactly this target. */
async function askRaw(target: string): Promise<string> {
  const { port } = host.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const [line = ''] = (await text(socket)).split('\r\n', 1);
  return line;
}

test('a request outside the base path is the host’s as it came, also if we would refuse it', async () => {
  const { server } = await openServer('/polls');
  const handle = server.callback();
  const seen: (string | undefined)[] = [];
  host.on('request', (request, response) => {
    void handle(request, response, () => {
      seen.push(request.url);
      response.writeHead(418).end();
    });
  });
  const targets = ['/a#b', 'http://x/hello'];

  for (const target of targets) expect(await askRaw(target)).toMatch(/^HTTP\/1\.1 418 /);
  expect(seen).toEqual(targets);
  expect(await askRaw('/polls/a#b')).toMatch(/^HTTP\/1\.1 400 /);
  expect(await askRaw('http://x/polls/livez')).toMatch(/^HTTP\/1\.1 200 /);
});

test('a defect of the handler ends its connection, and not the process', async () => {
  const errors: object[] = [];
  const log = { warn: () => {}, error: (fields: object | string) => errors.push(Object(fields)) };
  const context = createHandlerContext(log, () => undefined);
  const err = new Error('defect');
  context.handle = () => Promise.reject(err);
  host.on('request', (request, response) => handleRequest(context, { request, response }));
  const url = await listenOnLoopback(host);

  await expect(fetch(url)).rejects.toThrow();

  expect(errors).toEqual([{ err }]);
});
