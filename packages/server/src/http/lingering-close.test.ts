/** A refusal reaches a sender that is still sending: rows A16 and I02. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';
import { createHttpServer } from './http-server.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
});

afterEach(() => world[Symbol.asyncDispose]());

/** A sender that reads nothing before it has sent everything. */
async function connectUnread(): Promise<Socket> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // A send or the reading fails as well.
  socket.on('error', () => {});
  return socket.setEncoding('latin1').pause();
}

function send(socket: Socket, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, 'latin1', (error) => (error ? reject(error) : resolve()));
  });
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const piece of socket) text += piece;
  return text;
}

/** What a sender reads that sends on after it was refused with this status. */
async function sendOn({ head, piece, status }: Refused): Promise<string> {
  world.logs.length = 0;
  const socket = await connectUnread();
  await send(socket, `${head}\r\n\r\n${piece.repeat(4)}`);
  await vi.waitFor(() => expect(world.logs.join('')).toContain(`"status":${status}`), 120_000);
  for (let count = 0; count < 5; count += 1) await send(socket, piece);
  return readAll(socket);
}

interface Refused {
  head: string;
  piece: string;
  status: number;
}

const chunked = 'Host: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/jwt';
const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;

test.each([
  ['A16', 'a body over the limit', `POST /lifecycle/install HTTP/1.1\r\n${chunked}`, chunk, 413],
  ['A16', 'a body to a wrong target', `POST /#x HTTP/1.1\r\n${chunked}`, chunk, 400],
  ['A16', 'headers over the limit', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`, 'xxxx', 431],
])(
  '%s: the sender of %s reads the whole refusal after sending on',
  async (_, _what, head, piece, status) => {
    const answers: string[] = [];
    // A busy machine may hold a sender up for longer than the second for which the server reads on.
    for (let tries = 0; tries < 5 && !answers[0]; tries += 1) {
      answers.push(
        ...(await sendOn({ head, piece, status }).then(
          (text) => [text],
          () => [],
        )),
      );
    }
    const [answerHead = '', body = ''] = answers.join('').split('\r\n\r\n');

    expect(answerHead).toContain(`HTTP/1.1 ${status} `);
    expect(answerHead).toContain('Connection: close');
    expect(JSON.parse(body)).toMatchObject({ code: status });
  },
);

test('I02: at most 256 KB of a refused body are discarded', async () => {
  const received = Promise.withResolvers<number>();
  const server = createHttpServer((_request, response) => response.end(), {
    headers: {},
    logger: { info() {}, warn() {} },
  });
  server.on('connection', (socket) =>
    socket.once('close', () => received.resolve(socket.bytesRead)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  socket.write(`POST /x HTTP/1.1\r\nConnection: close\r\n${chunked}\r\n\r\n`);
  const pump = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', pump);
  pump();

  expect(await received.promise).toBeLessThan(2 * 262_144);
  server.close();
});
