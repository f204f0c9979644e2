/** Malformed bytes in many pieces while an answer is written: rows A16 and I06. */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { createHttpServer } from './http-server.ts';

test('A16: malformed bytes in pieces cause one log line and one answer, after the answer in progress', async () => {
  const lines: unknown[] = [];
  const unread = Promise.withResolvers<void>();
  const log = (line: unknown) => lines.push(line);
  const server = createHttpServer(
    (_request, response) => void unread.promise.then(() => response.end('done')),
    { headers: {}, logger: { info: log, warn: log } },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.setEncoding('latin1');
  let pieces = 0;
  server.on('clientError', () => {
    pieces += 1;
    if (pieces < 5) socket.write('HELLO');
    else unread.resolve();
  });

  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nHELLO');
  let text = '';
  for await (const piece of socket) text += piece;
  server.close();

  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(lines).toEqual([{ status: 400, reason: 'HPE_INVALID_METHOD' }]);
});
