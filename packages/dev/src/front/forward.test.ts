import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forward } from './forward.ts';

const servers: Server[] = [];
/** The bodies that the back end got. */
let received: string[];
let backEndPort: number;
/** What the back end says of its port. */
let ports: PromiseWithResolvers<number | undefined>;
let front: { url: string; responses: ServerResponse[] };

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, 'localhost');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  received = [];
  ports = Promise.withResolvers();
  backEndPort = await listen(async (request, response) => {
    received.push(`${request.method} ${request.url} ${await text(request)}`);
    if (request.url === '/cut') request.socket.destroy();
    else response.writeHead(201, { 'x-own': 'yes' }).end('done');
  });
  const responses: ServerResponse[] = [];
  const port = await listen((request, response) => {
    responses.push(response);
    void forward({ port: () => ports.promise }, request, response);
  });
  front = { url: `http://localhost:${port}`, responses };
});

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const vote = (path = '/api/vote', signal?: AbortSignal) =>
  fetch(`${front.url}${path}`, { method: 'POST', body: 'soup', ...(signal && { signal }) });

test('a click during a restart arrives after it, once', async () => {
  const answer = vote();
  await expect.poll(() => front.responses.length).toBe(1);

  expect(received).toEqual([]);
  ports.resolve(backEndPort);

  const { status, headers } = await answer;
  expect([status, headers.get('x-own')]).toEqual([201, 'yes']);
  expect(received).toEqual(['POST /api/vote soup']);
});

test('a click whose page has gone meanwhile does not arrive', async () => {
  const leaving = new AbortController();
  const answer = vote('/api/vote', leaving.signal).catch(() => 'gone');
  await expect.poll(() => front.responses.length).toBe(1);
  const [response] = front.responses;

  leaving.abort();
  await answer;
  if (!response?.closed) await once(response as ServerResponse, 'close');
  ports.resolve(backEndPort);
  await vote('/api/invite');

  expect(received).toEqual(['POST /api/invite soup']);
});

test('while the back end is down, any page may read why, and a preflight succeeds', async () => {
  ports.resolve(undefined);

  const preflight = await fetch(`${front.url}/api/vote`, {
    method: 'OPTIONS',
    headers: { 'access-control-request-headers': 'authorization' },
  });
  const answer = await vote();

  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    204,
    'authorization',
  ]);
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { code: 'DEV_SERVER_DOWN', message: 'The back end does not run: dowel dev says why' },
  ]);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
});

test('a request that the back end cut is not sent a second time', async () => {
  ports.resolve(backEndPort);

  expect((await vote('/cut')).status).toBe(502);
  expect(received).toEqual(['POST /cut soup']);
});
