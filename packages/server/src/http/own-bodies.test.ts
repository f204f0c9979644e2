/** The bodies of requests to own routes. */
import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  installAt,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

test.each(['json', 'bytes'] as const)(
  'G05: a session that ends while the body arrives gives its route no %s',
  async (read) => {
    const begun = Promise.withResolvers<void>();
    const vote = vi.fn();
    const server = world.create({
      userRoutes(router) {
        router.post('/vote', async (context) => {
          begun.resolve();
          vote(await context[read]());
          return {};
        });
      },
    });
    const { url } = await server.start();
    const { pluginId, instanceId } = await installAt(world, url);
    const sessionToken = await sessionTokenAt(world, url, instanceId);
    const request = sendRequest(`${url}/api/vote`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sessionToken}`, 'content-type': 'application/json' },
    });
    request.write('{');
    await begun.promise;

    await world.platform.uninstall({ tenantId: world.tenantId, pluginId });
    request.end('}');

    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(401);
    expect(await readJson(answer)).toMatchObject({ code: 'SESSION_INVALID' });
    expect(vote).not.toHaveBeenCalled();
  },
);

test.each([Number.NaN, -1, 0, '5'])(
  'a limit of %j bytes is none: the answer is 500',
  async (maxBytes) => {
    const server = world.create({
      publicRoutes(router) {
        router.post('/bytes', async ({ bytes }) => ({ body: await bytes(maxBytes as number) }));
        router.post('/json', async ({ json }) => ({
          body: { read: await json(maxBytes as number) },
        }));
      },
    });
    const { url } = await server.start();
    const headers = { 'content-type': 'application/json' };

    for (const path of ['bytes', 'json']) {
      expect((await fetch(`${url}/${path}`, { method: 'POST', headers, body: '{}' })).status).toBe(
        500,
      );
    }
    const failed = world.lines.filter(({ message }) => message === 'request.failed');
    expect(failed.map(({ fields }) => String(fields.err))).toEqual([
      expect.stringContaining('The maxBytes of bytes() must be a whole number'),
      expect.stringContaining('The maxBytes of json() must be a whole number'),
    ]);
  },
);

test('a body that is read twice is a slip of the route, and the log blames no host', async () => {
  const server = world.create({
    publicRoutes: (router) =>
      router.post('/signed', async ({ bytes, json }) => {
        await bytes();
        return { body: { read: await json() } };
      }),
  });
  const { url } = await server.start();

  const answer = await fetch(`${url}/signed`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });

  expect([answer.status, await answer.json()]).toMatchObject([500, { code: 'INTERNAL_ERROR' }]);
  const failed = world.lines.find(({ message }) => message === 'request.failed');
  expect(String(failed?.fields.err)).toContain('call json() or bytes(), once');
  expect(world.lines.some(({ message }) => message.startsWith('body.already_read'))).toBe(false);
});
