import {
  AddressNotAllowedError,
  createGuardedFetch,
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
