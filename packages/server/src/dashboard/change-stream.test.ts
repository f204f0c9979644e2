/** Slow readers of the dashboard's stream, on real sockets. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import Koa from 'koa';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Send } from './change-feed.ts';
import { defaultTimes, streamChanges } from './change-stream.ts';

let server: Server;
let socket: Socket;
let response: ServerResponse | undefined;
let streams: Set<Send>;
let text: string;
let hasSession: boolean;
let closing: AbortController;

const announce = (name: string) => {
  for (const send of streams) send(`event: changed\ndata: "${name}"\n\n`);
};

beforeEach(async () => {
  streams = new Set();
  text = '';
  hasSession = true;
  closing = new AbortController();
  const feed = {
    subscribe(send: Send) {
      streams.add(send);
      return () => void streams.delete(send);
    },
  };
  const app = new Koa();
  app.silent = true;
  app.use((ctx) => {
    response = ctx.res;
    streamChanges(ctx, feed, {
      lifetimeMs: 3_600_000,
      closing: closing.signal,
      hasSession: async () => hasSession,
      times: {
        ...defaultTimes,
        checkMs: 10,
        endMs: 10,
        ...(ctx.path === '/lively' && { heartbeatMs: 10 }),
      },
    });
  });
  server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await vi.waitFor(() => expect(text).toContain(': connected'), 120_000);
});

afterEach(() => {
  socket.destroy();
  server.closeAllConnections();
  server.close();
});

const countConnections = () => promisify(server.getConnections.bind(server))();

/** Announces one name until the buffers of the reader and of the kernel are full. */
async function fill(): Promise<void> {
  socket.pause();
  const name = 'x'.repeat(10_000);
  let heldBefore = -1;
  for (let round = 0; round < 5_000; round += 1) {
    announce(name);
    await new Promise(setImmediate);
    const held = response?.writableLength ?? 0;
    if (held > 0 && held === heldBefore && round % 50 === 49) return;
    if (round % 50 === 49) heldBefore = held;
  }
  throw new Error('The buffers never filled');
}

/**
 * Announces until the kernel's buffers are full. The data then waits in the response, and the stream is
 * free.
 */
async function stall(): Promise<void> {
  socket.pause();
  for (let calm = 0; calm < 50; calm += 1) {
    if (!response?.writableNeedDrain) {
      announce('x'.repeat(1_000));
      calm = 0;
    }
    await new Promise(setImmediate);
  }
}

test('a beat is an event, so that a page sees that its connection works', async () => {
  const { port } = server.address() as AddressInfo;
  const { body } = await fetch(`http://127.0.0.1:${port}/lively`);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let received = '';

  while (!received.includes('event: beat\ndata: {}\n\n')) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error('The stream ended');
    received += value;
  }

  await reader?.cancel();
});

test('a slow reader costs little memory, gets one message that it missed something, and continues', async () => {
  await fill();
  const heldBefore = (response?.writableLength ?? 0) + 1;

  for (let round = 0; round < 100_000; round += 1) announce(`missed-${round}`);

  expect(response?.writableLength).toBeLessThanOrEqual(heldBefore + 65_536);
  expect(streams.size).toBe(1);
  socket.resume();
  await vi.waitFor(() => expect(text).toContain('event: gap'), { timeout: 120_000 });
  announce('after');
  await vi.waitFor(() => expect(text).toContain('"after"'), 120_000);
  expect(text.match(/event: gap/g)).toHaveLength(1);
  expect(text).not.toContain('missed-');
});

test('a session’s end disconnects a reader that takes nothing', async () => {
  await fill();
  const closed = new Promise((resolve) => response?.once('close', resolve));

  hasSession = false;

  await closed;
  expect(streams.size).toBe(0);
});

test('F05: a session’s end disconnects a reader that has stopped reading, even if little waits for it', async () => {
  await stall();
  const closed = new Promise((resolve) => response?.once('close', resolve));

  hasSession = false;

  await closed;
  expect(streams.size).toBe(0);
  await vi.waitFor(() => expect(countConnections()).resolves.toBe(0), 120_000);
});

test('a stream that has several reasons to end, ends once', async () => {
  await stall();
  const before = response?.listenerCount('close') ?? 0;

  for (let round = 0; round < 20; round += 1) closing.signal.dispatchEvent(new Event('abort'));

  expect(response?.listenerCount('close')).toBe(before + 1);
});
