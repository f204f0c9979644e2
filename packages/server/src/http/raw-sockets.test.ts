/** Senders that disconnect while Node's own answers are written: row I07. */
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
const faults: unknown[] = [];
const onFault = (error: unknown) => faults.push(error);

beforeEach(async () => {
  world = await startWorld();
  process.on('uncaughtException', onFault);
});

afterEach(async () => {
  process.off('uncaughtException', onFault);
  await world[Symbol.asyncDispose]();
});

function sendAndReset(request: string): Promise<void> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(request, () => socket.resetAndDestroy());
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
  });
}

test.each([
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
  ['what is no HTTP', 'HELLO\r\n\r\n'],
])(
  'I07: three hundred senders of %s that reset the connection cause no error',
  async (_, request) => {
    await Promise.all(Array.from({ length: 300 }, () => sendAndReset(request)));

    expect((await fetch(`${world.url}/manifest.json`)).status).toBe(200);
    expect(faults).toEqual([]);
  },
);
