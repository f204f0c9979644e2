import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { freshFetch } from './fresh-fetch.ts';

test('each request has a connection of its own', async () => {
  const ports = new Set<number | undefined>();
  const server = createServer(({ socket }, response) => {
    ports.add(socket.remotePort);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;

  for (let count = 0; count < 3; count += 1) await (await freshFetch(url)).text();

  expect(ports.size).toBe(3);
  await new Promise((resolve) => server.close(resolve));
});
