import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findUnusedPort } from './unused-port.ts';

test('an unused port can be listened on, and the system does not assign it', async () => {
  const port = await findUnusedPort();

  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(30_000);
});

test('the search for an unused port ends, with the reason', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  await expect(findUnusedPort({ first: port, count: 1 })).rejects.toMatchObject({
    message: `No unused port found: 100 tries in the range ${port} to ${port} failed`,
    cause: { code: 'EADDRINUSE' },
  });
  server.close();
});
