import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { freshFetch } from './fresh-fetch.ts';
import { keepRequests } from './world/own-requests.ts';

async function listen(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://localhost:${port}` };
}

test('each request has a connection of its own', async () => {
  const ports = new Set<number | undefined>();
  const { server, url } = await listen(({ socket }, response) => {
    ports.add(socket.remotePort);
    response.end();
  });

  for (let count = 0; count < 3; count += 1) await (await freshFetch(url)).text();

  expect(ports.size).toBe(3);
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  ['freshFetch', () => freshFetch],
  ['the fetch of a page', () => keepRequests([], new AbortController().signal)],
])('%s ends a request whose limit is over, also after garbage was collected', async (_, create) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { server, url } = await listen(() => {});
  const send = () => create()(url, { method: 'POST', body: 'x', signal: limit() });
  const limit = () => AbortSignal.any([AbortSignal.timeout(300), new AbortController().signal]);

  const answer = send().catch(({ name }: Error) => name);
  const collecting = setInterval(collect, 20);

  expect(await answer).toBe('TimeoutError');
  clearInterval(collecting);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
