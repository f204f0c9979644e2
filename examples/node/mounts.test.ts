/** The server inside each host framework: the same requests have the same answers everywhere. */
import { once } from 'node:events';
import { Agent, createServer, type Server as HttpServer, request as sendRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Server } from '@dowel/server';
import {
  createInstallEvent,
  installAt,
  openSessionAt,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '@dowel/server/testing';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mountInExpress } from '../express/mount.ts';
import { mountInFastify } from '../fastify/mount.ts';
import { mountInHono } from '../hono/mount.ts';
import { mountInNodeHttp } from './mounts/node-http.ts';
import { type Mount, type Mounted, startMounted } from './mounts/start-mounted.ts';

async function hostOfFastify(server: Server, prefix: string): Promise<HttpServer> {
  const app = await mountInFastify(server, prefix);
  await app.ready();
  return app.server;
}

const hosts: [string, Mount][] = [
  ['node:http', mountInNodeHttp],
  ['Express', mountInExpress],
  ['Fastify', hostOfFastify],
  ['Hono', mountInHono],
];

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const installEvent = () => createInstallEvent(world);

function post(url: string, body: string, type?: string): Promise<Response> {
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  return fetch(url, { method: 'POST', headers, body: Buffer.from(body) });
}

const eventUrl = ({ url }: Mounted) => `${url}/lifecycle/install`;

async function statusOf(response: Promise<Response>): Promise<number> {
  const answered = await response;
  expect(answered.headers.get('content-type')).toContain('application/json');
  await answered.json();
  return answered.status;
}

const formType = 'application/x-www-form-urlencoded';

/** Posts the event as a form, as JSON and bare; then twice in one form, and too large. */
async function postEachForm(at: string): Promise<number[]> {
  const form = `token=${await installEvent()}`;
  const bodies: [body: string, type: string][] = [
    [form, formType],
    [JSON.stringify({ token: await installEvent() }), 'application/json'],
    [await installEvent(), 'application/jwt'],
    [`${form}&${form}`, formType],
    [`token=${'x'.repeat(60_000)}`, formType],
  ];
  const statuses: number[] = [];
  for (const [body, type] of bodies) statuses.push(await statusOf(post(at, body, type)));
  return statuses;
}

/** Installs the plug-in, opens a session and calls a route of users. */
async function callVote(url: string): Promise<unknown> {
  const { instanceId } = await installAt(world, url);
  const sessionToken = await sessionTokenAt(world, url, instanceId);
  const answer = await fetch(`${url}/api/vote`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sessionToken}`, 'content-type': 'application/json' },
    body: '{"choice":1}',
  });
  return answer.json();
}

describe.each(hosts)('in %s', (_name, mount) => {
  test('events arrive in every form, and broken ones are refused in JSON', async () => {
    await using mounted = await startMounted(world, { mount, base: '/polls' });
    const at = eventUrl(mounted);

    expect(await postEachForm(at)).toEqual([201, 201, 201, 400, 413]);
    expect(await statusOf(post(at, await installEvent()))).toBe(415);
    expect(await statusOf(post(at, '{"token":', 'application/json'))).toBe(400);
  });

  test('a body that arrives slowly is read to its end', async () => {
    await using mounted = await startMounted(world, { mount, base: '/polls' });
    const body = `token=${await installEvent()}`;
    const request = sendRequest(eventUrl(mounted), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

    for (const part of [body.slice(0, 9), body.slice(9, 99), body.slice(99)]) {
      // Each part is sent before the next one is written.
      await new Promise((resolve) => request.write(part, resolve));
    }
    request.end();
    const [response] = await once(request, 'response');

    expect(response.statusCode).toBe(201);
    response.resume();
  });

  test('the platform installs, a page has a session and calls a route', async () => {
    await using mounted = await startMounted(world, { mount, base: '/polls' });
    const { url } = mounted;

    expect(await callVote(url)).toEqual({ id: world.userId, vote: { choice: 1 } });
    expect(await statusOf(post(`${url}/api/vote`, '{}', 'application/json'))).toBe(401);
  });

  test('S02: the base path is taken off once, also when a route begins with its name', async () => {
    await using mounted = await startMounted(world, { mount, base: '/api' });
    const { url, origin } = mounted;

    const { instanceId } = await installAt(world, url);
    const { status } = await openSessionAt(world, url, instanceId);

    expect(status).toBe(201);
    expect(await statusOf(post(`${origin}/api/api/vote`, '{}', 'application/json'))).toBe(401);
    expect(await statusOf(fetch(`${origin}/api`))).toBe(404);
    expect(await statusOf(fetch(`${origin}/api?x`))).toBe(404);
    expect((await fetch(`${origin}/api/manifest.json`)).status).toBe(200);
  });

  test('a page can read that there is no such operation, and its browser may ask', async () => {
    await using mounted = await startMounted(world, { mount, base: '/polls' });
    const at = `${mounted.url}/api/unknown`;

    const preflight = await fetch(at, { method: 'OPTIONS' });
    const answer = await post(at, '{}', 'application/json');

    expect(preflight.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
  });

  test('a HEAD is answered once, and its connection goes on', async () => {
    await using mounted = await startMounted(world, { mount, base: '/polls' });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    for (let count = 0; count < 3; count += 1) {
      const request = sendRequest(`${mounted.url}/livez`, { method: 'HEAD', agent });
      request.end();
      const [response] = await once(request, 'response');
      expect(response.statusCode).toBe(200);
      sockets.add(response.socket);
      response.resume();
      await once(response, 'end');
    }
    agent.destroy();

    expect(sockets.size).toBe(1);
    expect(world.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('errors, streams, preflights and encoded paths are ours', async () => {
    await using mounted = await startMounted(world, { mount, base: '/polls' });
    const { url } = mounted;
    const failed = await fetch(`${url}/fails`);
    const preflight = await fetch(`${url}/api/vote`, { method: 'OPTIONS' });

    expect(failed.status).toBe(500);
    expect(await failed.text()).toMatch(
      /^\{"code":"INTERNAL_ERROR","message":"Something went wrong"\}$/,
    );
    expect(await (await fetch(`${url}/stream`)).text()).toBe('data: 1\n\ndata: 2\n\n');
    expect(await (await fetch(`${url}/files/a%2Fb%20c`)).json()).toEqual({ name: 'a/b c' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toMatch(/POST.*DELETE/);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect((await fetch(`${url}/livez`)).headers.get('x-powered-by')).toBeNull();
  });
});

test('in Express, only what is below the base path is ours, whatever the host does to URLs', async () => {
  const host = express();
  await using mounted = await startMounted(world, {
    base: '/site/polls',
    async mount(server) {
      await server.open();
      host.use((request, _response, next) => {
        // As a handler of languages does.
        request.url = request.url.replace(/^\/en\//, '/');
        next();
      });
      const router = express.Router();
      router.use(server.callback());
      router.get('/hello', (_request, response) => void response.json('router'));
      host.use('/site', router);
      host.get('/hello', (_request, response) => void response.json('host'));
      return createServer(host);
    },
  });
  const { origin } = mounted;
  const read = async (path: string) => (await fetch(`${origin}${path}`)).json();

  expect(await read('/site/hello')).toBe('router');
  expect(await read('/en/hello')).toBe('host');
  expect(await read('/site/polls/manifest.json')).toMatchObject({
    manifestVersion: expect.anything(),
  });
  expect(await read('/en/site/polls/manifest.json')).toMatchObject({
    manifestVersion: expect.anything(),
  });
  expect((await fetch(`${origin}/site/manifest.json`)).status).toBe(404);
});

test('in Express, a server at another path than the public one has all that comes there', async () => {
  await using mounted = await startMounted(world, {
    base: '/polls',
    async mount(server) {
      await server.open();
      return createServer(express().use('/internal', server.callback()));
    },
  });

  expect((await fetch(`${mounted.origin}/internal/manifest.json`)).status).toBe(200);
});

test.each(hosts.slice(1))('%s keeps its own routes and their bodies', async (_name, mount) => {
  await using mounted = await startMounted(world, { mount, base: '/polls' });

  const answer = await post(`${mounted.origin}/own`, '{"a":1}', 'application/json');

  expect(await answer.json()).toEqual({ a: 1 });
});

describe('after body parsers', () => {
  const afterParsers = async (server: Server): Promise<HttpServer> => {
    const app = express();
    app.use(express.json(), express.urlencoded(), express.text({ type: 'application/jwt' }));
    app.use('/polls', server.callback());
    await server.open();
    return createServer(app);
  };

  test('S01, S03: Express: events are read from what the parsers left, within our own limit', async () => {
    await using mounted = await startMounted(world, { mount: afterParsers, base: '/polls' });

    expect(await postEachForm(eventUrl(mounted))).toEqual([201, 201, 201, 400, 413]);
  });

  test('Express: a session opens and a route is called', async () => {
    await using mounted = await startMounted(world, { mount: afterParsers, base: '/polls' });

    expect(await callVote(mounted.url)).toEqual({ id: world.userId, vote: { choice: 1 } });
  });

  test('Express mounted at another path than the base leaves the path to its proxy', async () => {
    const mount = async (server: Server) => {
      const app = express();
      app.use('/inner', server.callback());
      await server.open();
      return createServer((request, response) => {
        request.url = (request.url ?? '').replace(/^\/polls/, '/inner');
        app(request, response);
      });
    };
    await using mounted = await startMounted(world, { mount, base: '/polls' });

    expect((await fetch(`${mounted.url}/livez`)).status).toBe(200);
  });

  test('S01: a body that was read and not kept is answered 500, with one log line', async () => {
    const mount = async (server: Server) => {
      const handle = server.callback();
      await server.open();
      return createServer(async (request, response) => {
        await text(request);
        await handle(request, response);
      });
    };
    await using mounted = await startMounted(world, { mount, base: '/polls' });

    const answer = await post(eventUrl(mounted), await installEvent(), 'application/jwt');

    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      code: 500,
      message: 'The body of this request was already read',
    });
    const told = world.lines.filter(({ message }) => message.startsWith('body.already_read'));
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toContain('Mount the server before every body parser');
  });

  test('Fastify: without the hook the scope’s parsers read first, and events still arrive', async () => {
    const mount = async (server: Server) => {
      const app = Fastify();
      const handle = server.callback();
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      );
      app.all('/polls/*', async (request, reply) => {
        reply.hijack();
        Object.assign(request.raw, { body: request.body });
        await handle(request.raw, reply.raw);
      });
      await server.open();
      await app.ready();
      return app.server;
    };
    await using mounted = await startMounted(world, { mount, base: '/polls' });
    const at = eventUrl(mounted);

    expect(await statusOf(post(at, `token=${await installEvent()}`, formType))).toBe(201);
    expect(
      await statusOf(post(at, JSON.stringify({ token: await installEvent() }), 'application/json')),
    ).toBe(201);
  });

  test('S01: Hono: a middleware that read the body is found, never an empty event', async () => {
    const mount = async (server: Server) => {
      const app = new Hono<{ Bindings: HttpBindings }>();
      const handle = server.callback();
      app.use(async (context, next) => {
        await context.req.text();
        await next();
      });
      app.all('/polls/*', async ({ env }) => {
        await handle(env.incoming, env.outgoing);
        return RESPONSE_ALREADY_SENT;
      });
      await server.open();
      return createAdaptorServer(app) as HttpServer;
    };
    await using mounted = await startMounted(world, { mount, base: '/polls' });

    expect(await statusOf(post(eventUrl(mounted), await installEvent(), 'application/jwt'))).toBe(
      500,
    );
  });
});

test('S02: behind a proxy that takes the base path off, stripBasePath: false leaves paths alone', async () => {
  const mount = async (server: Server) => {
    const handle = server.callback();
    await server.open();
    return createServer((request, response) => {
      request.url = (request.url ?? '').replace(/^\/api/, '');
      void handle(request, response);
    });
  };
  await using mounted = await startMounted(world, {
    mount,
    base: '/api',
    changes: { stripBasePath: false },
  });
  const { url } = mounted;

  const { instanceId } = await installAt(world, url);

  expect((await openSessionAt(world, url, instanceId)).status).toBe(201);
});

test('a request outside the base path is answered 404 when there is no host', async () => {
  await using mounted = await startMounted(world, { mount: mountInNodeHttp, base: '/polls' });

  expect(await statusOf(fetch(`${mounted.origin}/other`))).toBe(404);
  expect(await statusOf(fetch(`${mounted.origin}/pollsx/livez`))).toBe(404);
});

test.each(hosts)(
  'in %s, connections have our times, and bytes that are no request our JSON',
  async (_name, mount) => {
    const server = world.create({ publicUrl: 'http://localhost:1/polls' });
    const host = await mount(server, '/polls');
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const { port } = host.address() as AddressInfo;

    const kept = await fetch(`http://127.0.0.1:${port}/polls/livez`);
    const socket = connect(port, '127.0.0.1');
    socket.end('no request\r\n\r\n');
    const answer = await text(socket);

    expect(kept.headers.get('keep-alive')).toBe('timeout=65');
    expect([host.headersTimeout, host.requestTimeout]).toEqual([10_000, 15_000]);
    expect(answer).toMatch(/^HTTP\/1.1 400 [^{]+\{"code":400,"message":"Bad Request"\}$/);
    host.close();
    host.closeAllConnections();
  },
);

test('Fastify can be closed as a whole: its hooks run, and its server ends', async () => {
  const server = world.create({ publicUrl: 'http://localhost:1/polls' });
  const app = await mountInFastify(server, '/polls');
  const closed = vi.fn();
  app.addHook('onClose', async () => closed());
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const before = await fetch(`${origin}/polls/livez`);
  await before.text();

  await server.drain();
  await app.close();

  expect([before.status, app.server.listening]).toEqual([200, false]);
  expect(closed).toHaveBeenCalledOnce();
});

test.each(hosts)('in %s, drain lets a keep-alive client go', async (_name, mount) => {
  await using mounted = await startMounted(world, { mount, base: '/polls' });
  const { url, server } = mounted;
  const before = await fetch(`${url}/livez`);

  await server.drain();
  const after = await fetch(`${url}/livez`);

  expect(before.headers.get('connection')).toBe('keep-alive');
  expect(after.headers.get('connection')).toBe('close');
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
});

test('Hono takes a plug-in without a base path, too', async () => {
  await using mounted = await startMounted(world, { mount: mountInHono, base: '' });

  expect(await postEachForm(eventUrl(mounted))).toEqual([201, 201, 201, 400, 413]);
  expect((await fetch(mounted.origin)).headers.get('x-request-id')).not.toBeNull();
});

test('Hono puts its own Response in place of Node’s, and a route may still answer with one of fetch', async () => {
  await using mounted = await startMounted(world, {
    mount: mountInHono,
    base: '/polls',
    changes: {
      publicRoutes(router) {
        router.get('/page', async () => ({ body: await fetch('data:text/html,Hi') }));
      },
    },
  });

  const answer = await fetch(`${mounted.url}/page`);

  expect(answer.headers.get('content-type')).toBe('text/html');
  expect(await answer.text()).toBe('Hi');
});
