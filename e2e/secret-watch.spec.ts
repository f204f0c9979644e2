import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { createSecretWatch } from './secret-watch.ts';

const secret = 'canary/+?"ü of a refresh token';

test('the watch finds a secret in an answer, its head, a stream, a page and a text, and names only the place', async ({
  context,
  page,
}) => {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    if (request.url === '/stream') {
      response.setHeader('Content-Type', 'text/event-stream');
      const data = `data: {"token":"${encodeURIComponent(secret)}"}`;
      // A secret may come in two pieces.
      response.write(`: open\n\n${data.slice(0, 30)}`);
      setTimeout(() => response.write(`${data.slice(30)}\n\n`), 50);
      return;
    }
    if (request.url === '/head') response.setHeader('X-Debug', encodeURIComponent(secret));
    response.end(request.url === '/body' ? Buffer.from(secret).toString('hex') : '<p></p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const watch = createSecretWatch();
  watch.follow(context);
  watch.learn([secret]);

  for (const path of ['/head', '/body', '/shown']) {
    await page.goto(`http://127.0.0.1:${port}${path}`);
    await watch.readAll();
  }
  await page.evaluate((text) => document.body.append(btoa(text)), 'canary of a code');
  watch.learn(['canary of a code']);
  await watch.keepPage(page);
  watch.keep('the log', JSON.stringify({ token: secret }));

  const endStream = await watch.readStream(`http://127.0.0.1:${port}/stream`, {});
  await expect.poll(() => watch.hasSeen('"}\n')).toBe(true);
  await endStream();

  expect((await watch.findLeaks()).toSorted()).toEqual([
    'the answer of /body',
    'the head of /head',
    'the log',
    'the page /shown',
    'the stream of /stream',
  ]);
  const closed = new Promise((resolve) => server.close(resolve));
  // The browser may have an unused open connection, for which the server would wait.
  server.closeAllConnections();
  await closed;
});
