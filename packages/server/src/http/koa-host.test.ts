/** The host of the README in Koa, as a reader writes it. */
import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import Koa from 'koa';
import { expect, test } from 'vitest';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { startServerWorld } from '../testing/server-world.ts';

test('in Koa the own middleware stands beside the base path', async () => {
  await using world = await startServerWorld();
  const server = world.create({ publicUrl: 'http://localhost:4310/polls' });
  await server.open();

  const app = new Koa();
  const handle = server.callback();
  app.use(async (context, next) => {
    context.respond = false;
    await handle(context.req, context.res, () => {
      context.respond = true;
      return next();
    });
  });
  app.use(async (context) => {
    await setImmediate();
    context.body = { own: context.path };
  });

  const host = createServer(app.callback());
  const url = await listenOnLoopback(host);
  const read = async (path: string) => (await fetch(`${url}${path}`)).json();
  expect(await read('/polls/livez')).toEqual({ isAlive: true });
  expect(await read('/polls/nowhere')).toMatchObject({ code: 'NOT_FOUND' });
  expect(await read('/hello')).toEqual({ own: '/hello' });
  await closeHost(host);
});
