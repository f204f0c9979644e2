/** Clients that leave before the server looks at them. Node announces the end of an answer only once. */
import { getEventListeners, once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import { PassThrough } from 'node:stream';
import type Router from '@koa/router';
import Koa from 'koa';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requestOf } from '../request/server-exchange.ts';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';
import { createPublicRouter, type OwnRoutesContext } from './own-routers.ts';
import { collectRoutes, type RouteRegistrar } from './own-routes.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** Sends a request, and leaves when it has arrived. */
async function leaveEarly(url: string, arrived: Promise<unknown>): Promise<void> {
  const request = sendRequest(url).on('error', () => {});
  request.end();
  await arrived;
  request.destroy();
}

test('P1: a stop does not wait for a client that left while middleware of the host ran', async () => {
  const arrived = Promise.withResolvers<void>();
  const handled = Promise.withResolvers<void>();
  const seen: string[] = [];
  const server = world.create({
    publicRoutes: (router) => router.get('/slow', ({ path }) => void seen.push(path)),
  });
  await server.open();
  const handle = server.callback();
  const host = createServer(async (request, response) => {
    arrived.resolve();
    // The middleware: it ends after the client has left.
    await once(response, 'close');
    await handle(request, response);
    handled.resolve();
  });
  const url = await listenOnLoopback(host);

  await leaveEarly(`${url}/slow`, arrived.promise);
  await handled.promise;
  // Longer than this test may take.
  await server.drain({ graceMs: 600_000 });

  expect(seen).toEqual([]);
  await closeHost(host);
});

test('P1: a request behind an answer that ended its connection is not carried out', async () => {
  const handled = Promise.withResolvers<void>();
  const seen: string[] = [];
  const server = world.create({
    publicRoutes: (router) => router.post('/vote', ({ path }) => void seen.push(path)),
  });
  await server.open();
  const handle = server.callback();
  const host = createServer(async (request, response) => {
    request.socket.end();
    await handle(request, response);
    handled.resolve();
  });
  const url = await listenOnLoopback(host);

  const answered = fetch(`${url}/vote`, { method: 'POST' }).catch(() => 'none');
  await handled.promise;

  expect(seen).toEqual([]);
  await closeHost(host);
  expect(await answered).toBe('none');
});

/** Handles one request after its client has left. Resolves with the errors of the app. */
async function serveLate(app: Koa): Promise<unknown[]> {
  const errors: unknown[] = [];
  app.on('error', (error) => errors.push(error));
  const arrived = Promise.withResolvers<void>();
  const handled = Promise.withResolvers<void>();
  const handle = app.callback();
  const host = createServer(async (request, response) => {
    arrived.resolve();
    await once(response, 'close');
    await handle(request, response);
    handled.resolve();
  });
  await leaveEarly(`${await listenOnLoopback(host)}/late`, arrived.promise);
  await handled.promise;
  await closeHost(host);
  return errors;
}

function useRoutes(router: Router): Koa {
  const app = new Koa();
  // As the whole app does.
  app.use((ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    return next();
  });
  app.use(router.routes());
  return app;
}

test('the signal of a request whose client has left is aborted from the start', async () => {
  const signals: AbortSignal[] = [];
  const app = new Koa().use((ctx) => {
    signals.push(requestOf(ctx, { error: () => {} }).signal);
  });

  expect(await serveLate(app)).toEqual([]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('an event stream whose client left during its handler waits for nothing', async () => {
  const closing = new AbortController();
  const headers = { 'content-type': 'text/event-stream' };
  const body = new PassThrough();
  const publicRoutes = (router: RouteRegistrar<unknown>) =>
    router.get('/late', () => ({ headers, body }));
  const ownRoutes = collectRoutes({ publicRoutes }, []);
  const context = { prefix: '', ownRoutes, closing, logger: world.common.log } as object;
  const router = createPublicRouter(context as OwnRoutesContext);

  expect(await serveLate(useRoutes(router))).toEqual([]);
  expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
  await vi.waitFor(() => expect(body.destroyed).toBe(true), 60_000);
});
