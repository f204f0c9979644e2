/** The hosts of the server's README, as a reader writes them. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configureHttpServer, httpServerOptions } from '@dowel/server';
import { type ServerWorld, startServerWorld } from '@dowel/server/testing';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';

let world: ServerWorld;
/** Any free port. */
const port = 0;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

async function ask(host: ReturnType<typeof createHttpServer>, path: string) {
  if (!host.listening) await once(host, 'listening');
  const url = `http://localhost:${(host.address() as AddressInfo).port}`;
  return fetch(`${url}${path}`, { headers: { connection: 'close' } });
}

test('in Express the own routes stand beside the base path', async () => {
  const server = world.create({ publicUrl: 'http://localhost:4310/polls' });

  const app = express();
  app.use(server.callback());
  app.get('/hello', (_request, response) => void response.send('Hello'));
  await server.open();
  const host = createHttpServer(httpServerOptions, app);
  configureHttpServer(host, { log: server.log });
  host.listen(port);

  expect((await ask(host, '/polls/livez')).status).toBe(200);
  expect((await ask(host, '/polls/hello')).status).toBe(404);
  expect(await (await ask(host, '/hello')).text()).toBe('Hello');
  await server.drain();
  host.close();
  await server.close();
});

test('in Express without a base path every request is the plug-in’s', async () => {
  const server = world.create({ publicUrl: 'http://localhost:4310' });
  const app = express();
  app.use(server.callback());
  app.get('/hello', (_request, response) => void response.send('Hello'));
  await server.open();
  const host = app.listen(port);

  expect((await ask(host, '/hello')).status).toBe(404);
  await server.drain();
  host.close();
  await server.close();
});

test('in node:http the whole server is the plug-in’s', async () => {
  const server = world.create({ publicUrl: 'http://localhost:4310' });

  const host = createHttpServer(httpServerOptions, server.callback());
  configureHttpServer(host, { log: server.log });
  await server.open();
  host.listen(port);

  expect((await ask(host, '/readyz')).status).toBe(200);
  await server.drain();
  host.close();
  await server.close();
});
