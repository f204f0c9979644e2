import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createApiClient } from './api-client.ts';

async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('an answer that breaks off is an unreachable server, which may answer the next time', async () => {
  await using server = await startServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"name":');
    setImmediate(() => response.destroy());
  });
  const api = createApiClient((path, init) => fetch(new URL(String(path), server.origin), init));

  await expect(api.session()).rejects.toMatchObject({ code: 'UNREACHABLE', status: 0 });
});

it('takes no one-time code to another origin by a redirect', async () => {
  const arrived: unknown[] = [];
  await using elsewhere = await startServer((request, response) => {
    arrived.push(request.url);
    response.end('{}');
  });
  await using server = await startServer((_request, response) =>
    response.writeHead(307, { location: elsewhere.origin }).end(),
  );
  const api = createApiClient((path, init) => fetch(new URL(String(path), server.origin), init));

  await expect(api.signIn({ code: 'once' })).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(arrived).toEqual([]);
});
