import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Front, openFront } from './front.ts';
import type { Page } from './page.ts';

let front: Front;
let port: PromiseWithResolvers<number | undefined>;
let page: PromiseWithResolvers<Page | undefined>;

beforeEach(async () => {
  const opened = await openFront(0);
  front = opened;
  port = Promise.withResolvers();
  page = Promise.withResolvers();
  opened.answerWith({ backEnd: { port: () => port.promise }, page: page.promise });
});
afterEach(() => front.close());

/** A back end that answers an upgrade, and repeats what it receives. */
async function startBackEnd() {
  page.resolve(undefined);
  const sockets: Socket[] = [];
  const server = createServer().on('upgrade', (request, socket: Socket, head) => {
    sockets.push(socket);
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n',
    );
    socket.write(`${request.url} ${String(request.headers['x-own'])} `);
    socket.write(head);
    socket.pipe(socket);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  port.resolve((server.address() as AddressInfo).port);
  return { server, sockets };
}

function upgrade() {
  const { port: frontPort } = new URL(front.url);
  const socket = connect({ port: Number(frontPort), host: 'localhost' });
  const received = { text: '' };
  socket.setEncoding('utf8').on('data', (text) => {
    received.text += text;
  });
  socket.write(
    'GET /chat?a=1 HTTP/1.1\r\nHost: x\r\nX-Own: yes\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nearly ',
  );
  return { socket, received };
}

test('an upgrade reaches the back end, also while it starts, and both sides speak', async () => {
  const { socket, received } = upgrade();
  const { server, sockets } = await startBackEnd();

  await expect.poll(() => received.text).toMatch(/^HTTP\/1\.1 101 .*\/chat\?a=1 yes early /s);
  socket.write('hello');
  await expect.poll(() => received.text).toMatch(/early hello$/);

  socket.end();
  await once(sockets[0] as Socket, 'close');
  server.close();
});

test('an upgrade ends when the back end breaks off', async () => {
  const { server, sockets } = await startBackEnd();
  const { socket, received } = upgrade();
  await expect.poll(() => received.text).toContain('early');

  sockets[0]?.destroy();

  await once(socket, 'close');
  server.close();
});

test('without a back end an upgrade is 503', async () => {
  const { socket, received } = upgrade();
  page.resolve(undefined);
  port.resolve(undefined);

  await once(socket, 'close');
  expect(received.text).toMatch(/^HTTP\/1\.1 503 /);
});

test('an upgrade for a page that is not open yet ends, and a later one is left to Vite', async () => {
  const early = upgrade().socket.resume();
  await once(front.server, 'upgrade');
  const vites: Pick<Page, 'listenerOf'> = { listenerOf: () => () => {} };

  page.resolve(vites as Page);
  await once(early, 'close');

  front.server.once('upgrade', (_, socket: Socket) => socket.end('Vite'));
  const { socket, received } = upgrade();
  await once(socket, 'close');
  expect(received.text).toBe('Vite');
});
