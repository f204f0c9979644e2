import { PassThrough } from 'node:stream';
import {
  AddressNotAllowedError,
  createDrain,
  createEventWriter,
  createGuardedFetch,
  liveHeaders,
  parseRetryAfter,
  readBounded,
} from '@dowel/http';
import { expect, test } from 'vitest';
import { originOf, startServer, stopServer } from './kit.ts';

test('a guarded fetch reaches named internal origins only', async () => {
  const server = await startServer();
  server.on('request', (_request, response) => response.end('{}'));
  const origin = originOf(server);

  const guardedFetch = createGuardedFetch({ internalOrigins: [origin] });
  const response = await guardedFetch(`${origin}/key.json`, { redirect: 'error' });
  const bytes = await readBounded(response.body, 64 * 1024); // throws BodyTooLargeError

  expect(bytes.toString()).toBe('{}');
  await expect(createGuardedFetch()(origin)).rejects.toMatchObject({
    cause: expect.any(AddressNotAllowedError),
  });
  await stopServer(server);
});

test('the example of parseRetryAfter runs', () => {
  const response = new Response('', { headers: { 'retry-after': '120' } });

  const waitMs = parseRetryAfter(response.headers.get('retry-after'), Date.now()) ?? 30_000;

  expect(waitMs).toBe(120_000);
});

test('a stream gets server-sent events', () => {
  const stream = new PassThrough({ encoding: 'utf8' });

  const writer = createEventWriter(stream, 60_000);
  writer.send('changed', { installationId: '7' });
  const heartbeat = setInterval(writer.beat, 15_000);

  clearInterval(heartbeat);
  expect(stream.read()).toContain('event: changed\ndata: {"installationId":"7"}');
});

test('the example of liveHeaders runs', async () => {
  const server = await startServer();
  server.on('request', (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', ...liveHeaders('no-store') });
    response.end();
  });

  const { headers } = await fetch(originOf(server));

  expect(headers.get('cache-control')).toBe('no-store, no-transform');
  await stopServer(server);
});

test('the example of createDrain runs', async () => {
  const server = await startServer();

  const drain = createDrain(server);
  await drain({ listenMs: 500, graceMs: 12_000 }); // no connection is left

  expect(server.listening).toBe(false);
});
