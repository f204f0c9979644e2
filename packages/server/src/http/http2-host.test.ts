/** A host that speaks HTTP/2. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { echo } from '../operations/testing/echo.ts';
import type { Server } from '../server-options.ts';
import {
  installAt,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';

let world: ServerWorld;
let host: Http2Server;
let client: ClientHttp2Session;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(async () => {
  client.close();
  host.close();
  await once(host, 'close');
  await world[Symbol.asyncDispose]();
});

async function listen(server: Server): Promise<void> {
  const handle = server.callback();
  host = createServer((request, response) => void handle(request as never, response as never));
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  client = connect(`http://127.0.0.1:${(host.address() as AddressInfo).port}`);
}

async function ask(
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: unknown; body: unknown }> {
  const stream = client.request(headers, { endStream: body === undefined });
  const answered = once(stream, 'response');
  if (body !== undefined) stream.end(body);
  const [{ ':status': status }] = (await answered) as [{ ':status': number }];
  return { status, body: JSON.parse(await text(stream)) };
}

test('routes, operations and refusals are answered as over HTTP/1', async () => {
  const server = world.create({ operations: { echo } });
  const { url } = await server.start();
  const { instanceId } = await installAt(world, url);
  const authorization = `Bearer ${await sessionTokenAt(world, url, instanceId)}`;
  await listen(server);
  const call = { ':method': 'POST', ':path': '/api/echo', 'content-type': 'application/json' };

  expect(await ask({ ':path': '/livez' })).toEqual({ status: 200, body: { isAlive: true } });
  expect(await ask({ ...call, authorization }, '{"text":"Hi"}')).toEqual({
    status: 200,
    body: { text: 'Hi' },
  });
  expect(await ask(call, '{"text":"Hi"}')).toMatchObject({ status: 401 });
  expect(await ask({ ':path': '/nowhere' })).toMatchObject({ status: 404 });
});

test('HEAD is answered without a body on every kind of route', async () => {
  const server = world.create({
    publicRoutes: (router) => router.get('/own', () => ({ body: 'Hi' })),
  });
  await server.open();
  await listen(server);
  const seen: unknown[] = [];

  for (const path of ['/livez', '/own', '/manifest.json', '/nowhere']) {
    const stream = client.request({ ':method': 'HEAD', ':path': path });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    seen.push([headers[':status'], Number(headers['content-length']) > 0, await text(stream)]);
  }

  const ok = [200, true, ''];
  expect(seen).toEqual([ok, ok, ok, [404, true, '']]);
});

test('a body that is too large gets its 413, and holds no stop up', async () => {
  const server = world.create({
    publicRoutes: (router) => router.post('/own', async ({ bytes }) => ({ body: await bytes(10) })),
  });
  await server.open();
  await listen(server);
  const stream = client.request({ ':method': 'POST', ':path': '/own' });
  const answered = once(stream, 'response');
  const warnings: string[] = [];
  const warn = ({ name }: Error) => void warnings.push(name);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  // It never ends.
  stream.write('x'.repeat(1_000_000));
  const [{ ':status': status }] = (await answered) as [{ ':status': number }];

  expect(status).toBe(413);
  expect(JSON.parse(await text(stream))).toMatchObject({ code: 'BODY_TOO_LARGE' });
  // Longer than this test may take.
  await server.drain({ graceMs: 600_000 });
  // HTTP/2 has no header Connection.
  expect(warnings).toEqual([]);
});

test('a stop answers the request under way, and ends the session of its client', async () => {
  const began = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const server = world.create({
    publicRoutes: (router) =>
      router.get('/own', async () => {
        began.resolve();
        await release.promise;
        return { body: 'Hi' };
      }),
  });
  await server.open();
  await listen(server);
  const ended = once(client, 'close');
  const stream = client.request({ ':path': '/own' });
  const answer = text(stream);
  await began.promise;

  const drained = server.drain({ graceMs: 600_000 });
  release.resolve();

  expect(await answer).toBe('Hi');
  await Promise.all([drained, ended]);
});
