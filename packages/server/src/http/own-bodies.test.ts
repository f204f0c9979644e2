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
