/** Row I01: how many connections one host may hold. Each loopback address plays one host. */
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { exchangeRaw } from '../testing/send-event.ts';
import { startWorld, type World } from '../testing/start-world.ts';
import {
  configureHttpServer,
  defaultLimits,
  type HttpServerOptions,
  httpServerOptions,
  type ServerLimits,
} from './http-server.ts';

let world: World;
const sockets: Socket[] = [];
const patience = { timeout: 120_000, interval: 20 };

/** Silent connections stay for as long as a test takes. */
const patient = { headersTimeoutMs: 120_000, requestTimeoutMs: 120_000 };

async function start(limits: Partial<ServerLimits>): Promise<void> {
  world = await startWorld({ serverLimits: { ...patient, ...limits } });
}

/** A connection that sends nothing. */
function hold(localAddress: string, url = world.url): Socket {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), localAddress });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** How many of these connections the server accepts. */
async function holdMany(localAddress: string, count: number, taken: number): Promise<void> {
  const held = Array.from({ length: count }, () => hold(localAddress));
  const isClosed = (socket: Socket) => socket.readableEnded || socket.destroyed;
  for (const socket of held) socket.resume();
  await vi.waitFor(() => {
    expect(held.filter(isClosed)).toHaveLength(count - taken);
    expect(held.every((socket) => !socket.connecting)).toBe(true);
  }, patience);
}

async function isServed(localAddress: string): Promise<boolean> {
  const socket = hold(localAddress);
  socket.write('GET /manifest.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return text.startsWith('HTTP/1.1 200 ');
}

/** A host's server, as `configureHttpServer` leaves it, and what it logs. */
async function configureHost(options: HttpServerOptions) {
  const lines: unknown[] = [];
  const log = { info() {}, warn: (...line: unknown[]) => void lines.push(line) };
  const host = createServer(httpServerOptions);
  configureHttpServer(host, { log, ...options });
  const url = await listenOnLoopback(host);
  return { lines, url, host };
}

describe("a host's server", () => {
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  test('has no limit for each address, because all have the address of a proxy', async () => {
    const { lines, url, host } = await configureHost({});
    let accepted = 0;
    host.on('connection', () => {
      accepted += 1;
    });
    const beyond = defaultLimits.connectionsPerAddress + 1;

    for (let count = 0; count < beyond; count += 1) hold('127.0.0.2', url);
    await vi.waitFor(() => expect(accepted).toBe(beyond), patience);

    expect(lines).toEqual([]);
    expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([]);
    await closeHost(host);
  });

  test('has a limit for each address if it is set, and logs what is over it', async () => {
    const { lines, url, host } = await configureHost({ limits: { connectionsPerAddress: 1 } });

    for (let count = 0; count < 2; count += 1) hold('127.0.0.2', url);

    await vi.waitFor(() => expect(lines).toHaveLength(1), patience);
    expect(lines).toMatchObject([[{ ofAddress: 1 }, 'connections.limited']]);
    await closeHost(host);
  });
});

describe('the server', () => {
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await world[Symbol.asyncDispose]();
  });

  test('I01: one host that opens silent connections is bounded, and others are served', async () => {
    await start({ maxConnections: 500, connectionsPerAddress: 100 });

    await holdMany('127.0.0.2', 600, 100);

    expect(await isServed('127.0.0.2')).toBe(false);
    expect(await isServed('127.0.0.3')).toBe(true);
  });

  test('I01: hosts that fill the server together leave places for a host with few connections', async () => {
    await start({ maxConnections: 500, connectionsPerAddress: 100 });
    for (const host of [2, 3, 4, 5]) await holdMany(`127.0.0.${host}`, 150, 100);

    await holdMany('127.0.0.6', 40, 16);

    expect(await isServed('127.0.0.2')).toBe(false);
    expect(await isServed('127.0.0.7')).toBe(true);
  });

  test('I01: a closed connection frees its place', async () => {
    await start({ maxConnections: 500, connectionsPerAddress: 20 });
    await holdMany('127.0.0.2', 20, 20);
    expect(await isServed('127.0.0.2')).toBe(false);

    for (const socket of sockets.splice(0)) socket.destroy();

    await vi.waitFor(async () => expect(await isServed('127.0.0.2')).toBe(true), patience);
  });

  test('I01: behind a proxy, which has one address, only the total is bounded', async () => {
    await start({ maxConnections: 100, connectionsPerAddress: Infinity });

    await holdMany('127.0.0.2', 150, 100);
  });

  test('I01: refused connections are counted and logged once a minute', async () => {
    await start({ maxConnections: 500, connectionsPerAddress: 20 });
    world.logs.length = 0;

    await holdMany('127.0.0.2', 120, 20);
    world.reportSuppressed();

    expect(world.infoLines()).toMatchObject([
      { msg: 'connections.limited', level: 40, address: '127.0.0.2', ofAddress: 20, inAll: 20 },
      { msg: 'connections.limited.more', suppressed: 99 },
    ]);
  });

  test('I01: a connection that sends nothing is closed like a slow one', async () => {
    await start({ headersTimeoutMs: 200 });

    expect(await exchangeRaw(world, '')).toMatch(/^HTTP\/1.1 408 /);
  });
});
