/** The plug-in's own routes: with or without a session, and never at a path of the server. */
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { PlatformError } from '../base/platform-error.ts';
import { createServer } from '../create-server.ts';
import { createNotification } from '../operations/create-notification.ts';
import type { PluginOptions } from '../server-options.ts';
import {
  installAt,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';
import type { RouteRegistrar } from './own-routes.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

test('S22: every route of users is 401 without a bearer, and its handler does not run', async () => {
  let calls = 0;
  const server = world.create({
    userRoutes(router) {
      for (const method of methods) {
        router[method]('/votes/:id', () => {
          calls += 1;
          return {};
        });
      }
    },
  });
  const { url } = await server.start();

  for (const authorization of ['', 'Bearer made-up', 'Basic eDp5']) {
    for (const method of methods) {
      const response = await fetch(`${url}/api/votes/1`, {
        method: method.toUpperCase(),
        headers: { authorization },
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'SESSION_INVALID' });
    }
  }
  expect(calls).toBe(0);
});

test('a route of users has its caller, and answers bytes, text and nothing', async () => {
  const server = world.create({
    userRoutes(router) {
      router.get('/me', ({ caller }) => ({ body: caller }));
      router.get('/text', () => ({ body: 'Hi', headers: { 'content-type': 'text/plain' } }));
      router.put('/bytes', async ({ bytes }) => ({ body: await bytes(10), status: 202 }));
      router.delete('/votes', () => undefined);
    },
  });
  const { url } = await server.start();
  const { instanceId, pluginId } = await installAt(world, url);
  const sessionToken = await sessionTokenAt(world, url, instanceId);
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/api${path}`, { headers: { authorization: `Bearer ${sessionToken}` }, ...init });

  const me = await call('/me');
  const bytes = await call('/bytes', { method: 'PUT', body: 'abc' });

  expect(await me.json()).toMatchObject({
    user: { id: world.userId },
    instanceId,
    installation: { pluginId, tenantId: world.tenantId },
  });
  expect(await (await call('/text')).text()).toBe('Hi');
  expect([bytes.status, await bytes.text()]).toEqual([202, 'abc']);
  expect((await call('/bytes', { method: 'PUT', body: 'longer than ten' })).status).toBe(413);
  expect((await call('/votes', { method: 'DELETE' })).status).toBe(204);
  expect((await call('/votes')).status).toBe(405);
});

test('a failed call of the platform has its own code and time, also from a route', async () => {
  const busy = new PlatformError('ACCESS_UNAVAILABLE', 'Renewed soon', { retryAfterMs: 1_500 });
  const server = world.create({
    publicRoutes: (router) => router.get('/calls', () => Promise.reject(busy)),
  });
  const { url } = await server.start();

  const response = await fetch(`${url}/calls`);

  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('2');
  expect(await response.json()).toEqual({ code: 'ACCESS_UNAVAILABLE', message: 'Renewed soon' });
});

test('a route whose own installation has ended is SESSION_INVALID; the end of another is our error', async () => {
  const ended = (id: string) =>
    new PlatformError('INSTALLATION_ENDED', 'It has ended', {
      installation: { id, generation: undefined },
    });
  const server = world.create({
    userRoutes(router) {
      router.get('/own', ({ caller }) => Promise.reject(ended(caller.installation.id)));
      router.get('/another', () => {
        throw ended('another');
      });
    },
    publicRoutes: (router) => router.get('/all', () => Promise.reject(ended('another'))),
  });
  const { url } = await server.start();
  const { instanceId } = await installAt(world, url);
  const headers = { authorization: `Bearer ${await sessionTokenAt(world, url, instanceId)}` };

  const paths = ['/api/own', '/api/another', '/all'];
  const answers = await Promise.all(paths.map((path) => fetch(`${url}${path}`, { headers })));

  expect(answers.map(({ status }) => status)).toEqual([401, 500, 500]);
  expect(await answers[0]?.json()).toMatchObject({ code: 'SESSION_INVALID' });
});

describe('createServer refuses', () => {
  const handle = () => ({});
  const refused: [string, PluginOptions, RegExp][] = [
    ['the path of sessions', { userRoutes: (r) => r.post('/session', handle) }, /is taken/],
    ['a path below it', { userRoutes: (r) => r.get('/session/x', handle) }, /is taken/],
    [
      'the path of an operation',
      {
        operations: { createNotification },
        userRoutes: (r) => r.get('/createNotification', handle),
      },
      /is taken/,
    ],
    ['a parameter at the front', { userRoutes: (r) => r.get('/:any', handle) }, /parameter/],
    ['a pattern', { userRoutes: (r) => r.get('/{*any}', handle) }, /plain segments/],
    ['a name that ends early', { publicRoutes: (r) => r.get('/votes/:vote-id', handle) }, /whole/],
    ['a number as a name', { publicRoutes: (r) => r.get('/votes/:1', handle) }, /whole segment/],
    ['a sign as a name', { publicRoutes: (r) => r.get('/votes/:-x', handle) }, /whole segment/],
    ['a part of a segment', { publicRoutes: (r) => r.get('/f/:name.json', handle) }, /whole/],
    ['a path without a slash', { publicRoutes: (r) => r.get('votes', handle) }, /plain segments/],
    ['an API that is open', { publicRoutes: (r) => r.get('/api/votes', handle) }, /is taken/],
    ['the dashboard', { publicRoutes: (r) => r.get('/admin/x', handle) }, /is taken/],
    ['the manifest', { publicRoutes: (r) => r.get('/manifest.json', handle) }, /is taken/],
    ['a segment of dots', { publicRoutes: (r) => r.get('/votes/../x', handle) }, /plain segments/],
    ['a regular expression', { publicRoutes: (r) => r.get(/votes/ as never, handle) }, /plain/],
    ['one name for two', { publicRoutes: (r) => r.get('/of/:id/:id', handle) }, /of its own/],
    ['a name that is lost', { publicRoutes: (r) => r.get('/of/:__proto__', handle) }, /of its own/],
    [
      'a route that is registered twice, by other names of parameters',
      {
        publicRoutes(r) {
          r.get('/votes/:a', handle);
          r.get('/votes/:b', handle);
        },
      },
      /registered twice/,
    ],
  ];

  test.each(refused)('%s', (_what, options, message) => {
    expect(() => createServer({ ...options, environment: {} })).toThrow(TypeError);
    expect(() => createServer({ ...options, environment: {} })).toThrow(message);
  });
});

test('a public route at the address of an event is one line at the start', async () => {
  const server = world.create({
    publicRoutes: (router) => router.post('/lifecycle/install', () => ({})),
  });

  await expect(server.open()).rejects.toThrow(/puts an event at \/lifecycle\/install/);
});

test.each([
  ['a text', 'Hi'],
  ['an object that was meant as the body', { votes: 3 }],
  ['a Response', new Response('Hi')],
])('a route that answers with %s is 500, and the log says how to write it', async (_, answer) => {
  const server = world.create({
    publicRoutes: (router) => router.get('/votes', () => answer as object),
  });
  const { url } = await server.start();

  expect((await fetch(`${url}/votes`)).status).toBe(500);
  const err = world.lines.find(({ message }) => message === 'request.failed')?.fields.err;
  expect(String(err)).toContain('Write { body: … } around');
});

test('parameters have the names of the path, and their decoded values', async () => {
  const server = world.create({
    publicRoutes(router) {
      router.get('/polls/:poll/votes/:_v2', ({ params }) => {
        expectTypeOf(params).toEqualTypeOf<Readonly<Record<'poll' | '_v2', string>>>();
        // @ts-expect-error no parameter of the path
        const { vote } = params;
        return { body: { ...params, vote } };
      });
      router.get('/none', ({ params }) => {
        expectTypeOf(params).toEqualTypeOf<Readonly<Record<never, string>>>();
        return { body: params };
      });
      const path: string = '/any/:name';
      router.get(path, ({ params }) => ({ body: { name: params.name } }));
    },
  });
  const { url } = await server.start();
  const read = async (path: string) => (await fetch(`${url}${path}`)).json();

  expect(await read('/polls/a%2Fb/votes/7')).toEqual({ poll: 'a/b', _v2: '7' });
  expect(await read('/none')).toEqual({});
  expect(await read('/any/x')).toEqual({ name: 'x' });
});

test('a header that was not sent is undefined, also if objects have a member of its name', async () => {
  const server = world.create({
    publicRoutes: (router) =>
      router.get('/header', ({ header }) => ({ body: { found: typeof header('constructor') } })),
  });
  const { url } = await server.start();

  expect(await (await fetch(`${url}/header`)).json()).toEqual({ found: 'undefined' });
});

test('a route without a function, and routes that are registered later, are slips of the program', () => {
  const noFunction = () =>
    createServer({ publicRoutes: (router) => router.get('/votes', [] as never) });
  const later = () => createServer({ publicRoutes: async () => {} });
  let kept: RouteRegistrar<unknown> | undefined;
  createServer({
    publicRoutes(router) {
      kept = router;
    },
  });

  expect(noFunction).toThrow('publicRoutes: get /votes needs a function that answers');
  expect(later).toThrow('publicRoutes must not be async');
  expect(() => kept?.get('/votes', () => ({}))).toThrow('get /votes comes too late');
});
