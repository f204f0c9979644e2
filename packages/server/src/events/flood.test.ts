/** The cost of one stranger for the tenants is limited: rows I01–I07, I09 and I10 of docs/threats.md. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createInstallEvent, expectRefusal, sendEvent } from '../testing/send-event.ts';
import { startWorld, type World, type WorldOptions } from '../testing/start-world.ts';
import { defaultReceptionLimits } from './reception-guard.ts';

let world: World;

async function start(options: WorldOptions = {}): Promise<void> {
  world = await startWorld(options);
}

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const unlimited = { ...defaultReceptionLimits, refusalsPerAddress: 1_000_000 };

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
    serverLimits: { headersTimeoutMs: 5_000, requestTimeoutMs: 8_000, maxConnections: 5_000 },
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
  await vi.waitFor(() => expect(answered(1)).toHaveLength(200), { timeout: 120_000 });
  await vi.waitFor(() => expect(answered(0)).toHaveLength(200), { timeout: 120_000 });
  // No sender closed its side; the server closed the connections anyway.
  await vi.waitFor(async () => expect(await world.countConnections()).toBeLessThan(10), {
    timeout: 120_000,
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
  await start({ app: { limits: { ...unlimited, refusalsPerAddress: 10 }, proxyHops: 1 } });
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
  await start({ app: { limits: { ...unlimited, refusalsPerAddress: 100 } } });
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
  await start({ app: { limits: { ...unlimited, refusalsPerAddress: 3 } } });

  const statuses = [];
  for (let count = 0; count < 5; count += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${count}` };
    statuses.push((await sendEvent(world, 'a.b.c', headers)).status);
  }

  expect(statuses).toEqual([400, 400, 400, 429, 429]);
  expect(world.logs.filter((line) => line.includes('X-Forwarded-For was seen'))).toHaveLength(1);
});

test('I03: three hundred events at once after a start are all accepted', async () => {
  await start({ app: { limits: unlimited } });
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
  await vi.waitFor(() => expect(hanging.length).toBeGreaterThan(0), { timeout: 120_000 });

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
  await start({ app: { limits: unlimited } });
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

test('I10: while a stranger’s JWTs use all places, other strangers get 503, and the platform does not', async () => {
  const verified = Promise.withResolvers<void>();
  let downloads = 0;
  await start({
    app: {
      proxyHops: 1,
      limits: { ...unlimited, verificationsAtOnce: 4 },
      fetch: async (input, init) => {
        if (!String(input).includes('/made-up')) return fetch(input, init);
        downloads += 1;
        await verified.promise;
        return new Response('', { status: 404 });
      },
    },
  });
  const send = async (jwt: string, address: string) =>
    (await sendEvent(world, jwt, { 'x-forwarded-for': address })).status;
  const platform = '203.0.113.7';
  expect(await send(await createInstallEvent(world), platform)).toBe(201);

  const forged = Array.from({ length: 4 }, (_, index) =>
    send(forge(world, `made-up-${index}`), `192.0.2.${index}`),
  );
  await vi.waitFor(() => expect(downloads).toBeGreaterThan(0), 120_000);
  // Each try has another address: a stranger whose event was accepted is a stranger no more.
  let tries = 0;
  await vi.waitFor(async () => {
    tries += 1;
    expect(await send(await createInstallEvent(world), `198.51.100.${tries}`)).toBe(503);
  }, 120_000);
  expect(await send(await createInstallEvent(world), platform)).toBe(201);
  expectRefused('verifications_full');
  verified.resolve();
  await Promise.all(forged);

  expect(await send(await createInstallEvent(world), `198.51.100.${tries}`)).toBe(201);
});

test('I10: while verified events wait for the database, those of strangers get 503', async () => {
  await start({ app: { limits: { ...unlimited, decisionsAtOnce: 2 }, proxyHops: 1 } });
  const database = Promise.withResolvers<void>();
  const { transaction } = world.store;
  let waiters = 0;
  world.store.transaction = async (work) => {
    waiters += 1;
    await database.promise;
    return transaction(work);
  };
  const send = async (address: string) => {
    const headers = { 'x-forwarded-for': address };
    return (await sendEvent(world, await createInstallEvent(world), headers)).status;
  };

  const waiting = ['192.0.2.1', '192.0.2.2'].map(send);
  await vi.waitFor(() => expect(waiters).toBe(2), 120_000);
  expect(await send('192.0.2.3')).toBe(503);
  expectRefused('lagging');
  database.resolve();

  expect(await Promise.all(waiting)).toEqual([201, 201]);
  expect(await send('192.0.2.3')).toBe(201);
});

function expectRefused(reason: string): void {
  const refused = world.infoLines().filter(({ msg }) => msg === 'event.refused');
  expect(refused).toContainEqual(expect.objectContaining({ reason }));
}

/** A JWT of the tenant's issuer under a key location that is not there. */
function forge({ platform }: World, name: string): string {
  const iss = platform.tenants[0]?.baseUrl ?? '';
  const jku = `${new URL(iss).origin}/certificates/${name}.json`;
  const iat = Math.floor(Date.now() / 1_000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'RS512', jku })}.${encode({ iss, iat, exp: iat + 60 })}.AAAA`;
}
