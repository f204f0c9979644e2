/** A host that speaks HTTP/2. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { echo } from '../operations/testing/echo.ts';
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
  const handle = server.callback();
  host = createServer((request, response) => void handle(request as never, response as never));
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  client = connect(`http://127.0.0.1:${(host.address() as AddressInfo).port}`);
  const call = { ':method': 'POST', ':path': '/api/echo', 'content-type': 'application/json' };

  expect(await ask({ ':path': '/livez' })).toEqual({ status: 200, body: { isAlive: true } });
  expect(await ask({ ...call, authorization }, '{"text":"Hi"}')).toEqual({
    status: 200,
    body: { text: 'Hi' },
  });
  expect(await ask(call, '{"text":"Hi"}')).toMatchObject({ status: 401 });
  expect(await ask({ ':path': '/nowhere' })).toMatchObject({ status: 404 });
});
