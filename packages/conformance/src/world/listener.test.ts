import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openListener } from './listener.ts';

test.each([
  ['/t/acme/api?code=a', ['/t/acme/api?code=a'], 200],
  ['http://localhost/t/acme/api', ['/t/acme/api'], 200],
  ['http://[', [], 400],
])('of a request for %s the world sees its path, or nothing', async (target, paths, status) => {
  const listener = await openListener({ origin: 'http://localhost:0' });
  const seen: (string | undefined)[] = [];
  listener.answerWith(({ url }, response) => {
    seen.push(url);
    response.end();
  }, 'run');

  const socket = connect(listener.port, '127.0.0.1');
  socket.write(`OPTIONS ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  const answer = await text(socket);

  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(seen).toEqual(paths);
  listener.close();
});
