/** What one stranger can cost the tenants: rows I01–I07, I09 and I10 of docs/threats.md. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createInstallEvent, expectRefusal, sendEvent } from './testing/send-event.ts';
import { startWorld, type World, type WorldOptions } from './testing/start-world.ts';

let world: World;

async function start(options: WorldOptions = {}): Promise<void> {
  world = await startWorld(options);
}

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const unlimited = { refusalsPerMinute: 1_000_000, maxLagMs: 60_000 };

function openSocket(bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    // A half-open sender: it never closes its own side.
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => {
      socket.write(bytes);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

test('I01: slow headers and slow bodies get JSON and a closed connection, and delay no other sender', async () => {
  await start({
    serverLimits: { headersTimeoutMs: 300, requestTimeoutMs: 4_000, maxConnections: 5_000 },
  });
  const slowBody =
    'POST /lifecycle/install HTTP/1.1\r\nHost: x\r\nContent-Type: application/jwt\r\nContent-Length: 999\r\n\r\nx';
  const answers: string[] = [];
  const sockets = await Promise.all(
    Array.from({ length: 400 }, (_, index) =>
      openSocket(index % 2 ? 'POST /lifecycle/install HTTP/1.1\r\nX-Slow' : slowBody),
    ),
  );
  for (const [index, socket] of sockets.entries()) {
    socket.setEncoding('latin1').on('data', (text: string) => {
      answers[index] = (answers[index] ?? '') + text;
    });
    socket.on('error', () => undefined);
  }

  const normal = [];
  for (let count = 0; count < 20; count += 1) {
    normal.push((await sendEvent(world, await createInstallEvent(world))).status);
  }

  expect(normal).toEqual(Array<number>(20).fill(201));
  const answered = (rest: number) => answers.filter((text, index) => text && index % 2 === rest);
  await vi.waitFor(() => expect(answered(1)).toHaveLength(200), { timeout: 20_000 });
  await vi.waitFor(() => expect(answered(0)).toHaveLength(200), { timeout: 20_000 });
  // No sender closed its side; the server closed the connections anyway.
  await vi.waitFor(async () => expect(await world.countConnections()).toBeLessThan(10), {
    timeout: 20_000,
  });
  for (const socket of sockets) socket.destroy();
  for (const answer of answers) {
    expect(answer).toContain('HTTP/1.1 408 ');
    expect(answer).toMatch(/Content-Type: application\/json/i);
  }
});

test('I02: a chunked flood ends at the limit', async () => {
  await start();
  const socket = await openSocket(
    'POST /lifecycle/install HTTP/1.1\r\nHost: x\r\nContent-Type: application/jwt\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  let sent = 0;
  while (!socket.destroyed && sent < 6_000) {
    sent += 1;
    // The server takes no more: more chunks would only fill this process's memory.
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
  await closed;

  expect(answer).toContain('HTTP/1.1 413 ');
  expect(sent).toBeLessThan(6_000);
});

test('I03: an address that sends garbage is limited, and the platform’s signed events are still accepted', async () => {
  await start({ app: { receptionLimits: { ...unlimited, refusalsPerMinute: 10 }, proxyHops: 1 } });
  const from = (address: string) => ({ 'x-forwarded-for': address });

  const statuses = [];
  for (let count = 0; count < 15; count += 1) {
    statuses.push((await sendEvent(world, 'a.b.c', from('192.0.2.1'))).status);
  }
  const good = [];
  for (const address of ['192.0.2.1', '192.0.2.2']) {
    good.push((await sendEvent(world, await createInstallEvent(world), from(address))).status);
  }

  expect(statuses).toEqual([...Array<number>(10).fill(400), ...Array<number>(5).fill(429)]);
  expect(good).toEqual([201, 201]);
});

test('I03, I06: forged init JWTs are limited and logged like forged events', async () => {
  await start({ app: { receptionLimits: { ...unlimited, refusalsPerMinute: 100 } } });
  world.logs.length = 0;

  const statuses = [];
  for (let count = 0; count < 120; count += 1) {
    const body = { initJwt: 'a.b.c', instanceId: 'i' };
    statuses.push((await world.post('/api/session', body)).status);
  }

  expect(statuses).toEqual([...Array<number>(100).fill(403), ...Array<number>(20).fill(429)]);
  expect(world.logs.filter((line) => !line.includes('"level":20'))).toHaveLength(2 * 20);
});

test('I03: a sender without proxy hops configured cannot choose its address', async () => {
  await start({ app: { receptionLimits: { ...unlimited, refusalsPerMinute: 3 } } });

  const statuses = [];
  for (let count = 0; count < 5; count += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${count}` };
    statuses.push((await sendEvent(world, 'a.b.c', headers)).status);
  }

  expect(statuses).toEqual([400, 400, 400, 429, 429]);
  expect(world.logs.filter((line) => line.includes('set DOWEL_PROXY_HOPS'))).toHaveLength(1);
});

test('I03: three hundred events at once after a start are all accepted', async () => {
  await start({ app: { receptionLimits: unlimited } });
  const events = await Promise.all(Array.from({ length: 300 }, () => createInstallEvent(world)));

  const responses = await Promise.all(events.map((event) => sendEvent(world, event)));

  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
});

test('I04: a header of blanks is read or refused like any other', async () => {
  await start();
  const headers = { accept: `${' '.repeat(12_000)}x`, cookie: `${'; '.repeat(2_000)}x` };

  const response = await fetch(`${world.url}/admin/api/session`, { headers });

  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ code: 'SIGN_IN_REQUIRED' });
});

test('I05: a tenant whose token endpoint hangs does not hold up another', async () => {
  const hanging: AbortController[] = [];
  await start({
    app: {
      fetch: (input, init) => {
        if (!String(input).includes('/t/acme/')) return fetch(input, init);
        const controller = new AbortController();
        hanging.push(controller);
        return new Promise((_, reject) => {
          controller.signal.addEventListener('abort', () => reject(new TypeError('fetch failed')));
        });
      },
    },
  });
  const [acme, globex] = world.platform.tenants;
  const manifestUrl = `${world.url}/manifest.json`;
  const slow = Promise.allSettled(
    Array.from({ length: 20 }, () =>
      world.platform.install({ tenantId: acme?.tenantId ?? '', manifestUrl }),
    ),
  );
  await vi.waitFor(() => expect(hanging.length).toBeGreaterThan(0), { timeout: 30_000 });

  await expect(
    world.platform.install({ tenantId: globex?.tenantId ?? '', manifestUrl }),
  ).resolves.toMatchObject({ requestedScopes: ['plugin:notify'] });

  const abort = setInterval(() => {
    for (const controller of hanging) controller.abort();
  }, 20);
  await slow;
  clearInterval(abort);
});

test('I06: a flood of refusals does not fill the log', async () => {
  await start({ app: { receptionLimits: unlimited } });
  world.logs.length = 0;

  for (let round = 0; round < 20; round += 1) {
    await Promise.all(Array.from({ length: 50 }, () => sendEvent(world, 'a.b.c')));
  }

  const lines = world.logs.filter((line) => !line.includes('"level":20'));
  expect(lines.length).toBeLessThanOrEqual(25);
});

test('I07: an aborted request and a failing store end only their own request', async () => {
  await start();
  for (let count = 0; count < 20; count += 1) {
    const socket = await openSocket(
      'POST /lifecycle/install HTTP/1.1\r\nHost: x\r\nContent-Type: application/jwt\r\nContent-Length: 999\r\n\r\nx',
    );
    socket.destroy();
  }
  expect((await sendEvent(world, await createInstallEvent(world))).status).toBe(201);

  const event = await createInstallEvent(world);
  world.store.transaction = () => Promise.reject(new Error('disk full'));
  const response = await sendEvent(world, event);

  expect(response.headers.get('retry-after')).toBe('10');
  await expectRefusal(response, 503);
});

test('I09: deep, wide and odd bodies are refused', async () => {
  await start();
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const header = encode('{"alg":"RS512","jku":"https://x.example/"}');
  for (const [body, headers] of [
    [`${'['.repeat(16_000)}${']'.repeat(16_000)}`, json],
    [`{"token":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, json],
    ['a=&'.repeat(10_000), form],
    [`${header}.${encode('['.repeat(8_000))}.AAAA`, {}],
  ] as const) {
    await expectRefusal(await sendEvent(world, body, headers), 400);
  }
});

test('I10: while the event loop is late, events are rejected with 503', async () => {
  await start({ app: { receptionLimits: { ...unlimited, maxLagMs: 50 } } });
  const event = await createInstallEvent(world);
  const eventIsAccepted = () =>
    vi.waitFor(async () => expect((await sendEvent(world, event)).status).toBe(201), {
      timeout: 50_000,
    });
  // A busy machine is late as well.
  await eventIsAccepted();

  const statuses: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    blockEventLoop(600);
    statuses.push((await sendEvent(world, event)).status);
  }
  expect(statuses).toContain(503);

  await eventIsAccepted();
});

function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
