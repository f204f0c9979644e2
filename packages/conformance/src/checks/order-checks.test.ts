import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runDoctor } from '../run-doctor.ts';
import { manifestOf } from '../testing/manifest-of.ts';

/** The doctor reads the manifest, and so do the first installation and the one of the check. */
const readsBefore = 3;

test('a limit that the manifest meets between two installations is no finding', async () => {
  let reads = 0;
  const server = createServer((request, response) => {
    const type = { 'content-type': 'application/json' };
    if (request.url !== '/manifest.json') {
      response.writeHead(reads === readsBefore ? 500 : 201, type).end('{}');
    } else if (reads === readsBefore) {
      response.writeHead(429).end();
    } else {
      reads += 1;
      response.writeHead(200, type).end(manifest);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const manifest = JSON.stringify(manifestOf(`${origin}/events/`, `${origin}/page`));

  const { results } = await runDoctor(`${origin}/manifest.json`, {
    origin: 'http://localhost:0',
    keyBits: 2048,
    only: ['install.again'],
  });

  expect(results).toMatchObject([{ verdict: 'open', note: expect.stringContaining('status 429') }]);
  server.closeAllConnections();
  server.close();
});
