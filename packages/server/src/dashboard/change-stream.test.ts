/** Slow readers of the dashboard's stream, on real sockets. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import type { StoreListener } from '@dowel/installation-store';
import Koa from 'koa';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defaultTimes, streamChanges } from './change-stream.ts';

let server: Server;
let socket: Socket;
let response: ServerResponse | undefined;
let listeners: Set<StoreListener>;
let text: string;
let hasSession: boolean;

const announce = (id: string | null) => {
  for (const listener of listeners) listener(id, false);
};
const namesIn = (answer: string) => [...answer.matchAll(/"installationId":"([^"]+)"/g)];

beforeEach(async () => {
  listeners = new Set();
  text = '';
  hasSession = true;
  const store = {
    onChange(listener: StoreListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const app = new Koa();
  app.silent = true;
  app.use((ctx) => {
    response = ctx.res;
    streamChanges(ctx, store, {
      lifetimeMs: 3_600_000,
      closing: new AbortController().signal,
      hasSession: async () => hasSession,
      times: { ...defaultTimes, checkMs: 10, endMs: 10 },
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
  await vi.waitFor(() => expect(text).toContain(': connected'), 20_000);
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

test('a slow reader costs little memory and finally receives every change', async () => {
  await fill();
  const heldBefore = (response?.writableLength ?? 0) + 1;

  for (let round = 0; round < 100_000; round += 1) announce(`i-${round % 100}`);

  expect(response?.writableLength).toBeLessThanOrEqual(heldBefore + 65_536);
  expect(listeners.size).toBe(1);
  socket.resume();
  await vi.waitFor(() => expect(text).toContain('"i-99"'), { timeout: 30_000 });
  const names = namesIn(text).map(([, name = '']) => name);
  expect(names.filter((name) => name === 'i-42')).toHaveLength(1);
  expect(names.filter((name) => name.startsWith('i-'))).toHaveLength(100);
  announce('after');
  await vi.waitFor(() => expect(text).toContain('"after"'), 20_000);
});

test('a session’s end disconnects a reader that takes nothing', async () => {
  await fill();
  const closed = new Promise((resolve) => response?.once('close', resolve));

  hasSession = false;

  await closed;
  expect(listeners.size).toBe(0);
});

test('F05: a session’s end disconnects a reader that has stopped reading, even if little waits for it', async () => {
  await stall();
  const closed = new Promise((resolve) => response?.once('close', resolve));

  hasSession = false;

  await closed;
  expect(listeners.size).toBe(0);
  await vi.waitFor(() => expect(countConnections()).resolves.toBe(0), 20_000);
});

test('a stream that has several reasons to end, ends once', async () => {
  await stall();
  const before = response?.listenerCount('close') ?? 0;

  for (let round = 0; round < 20; round += 1) announce(null);

  expect(response?.listenerCount('close')).toBe(before + 1);
});

test('a reader that is too far behind is disconnected, and nothing is kept for it', async () => {
  await fill();
  const closed = new Promise((resolve) => response?.once('close', resolve));

  for (let round = 0; round < 5_000; round += 1) announce(`i-${round}`);

  await closed;
  expect(listeners.size).toBe(0);
});
