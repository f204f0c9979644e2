import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { parseTrustRules } from '@dowel/platform-jwt';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createServer } from './create-server.ts';
import { silentLog } from './log/log.ts';
import { createNotification } from './operations/create-notification.ts';
import { defineOperation } from './operations/define-operation.ts';
import type { ServerOptions } from './server-options.ts';
import { closeHost, listenOnLoopback } from './testing/loopback.ts';
import {
  calmStop,
  installAt,
  openSessionAt,
  readSampleManifest,
  type ServerWorld,
  startServerWorld,
} from './testing/server-world.ts';

let world: ServerWorld;

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

describe('a started server', () => {
  test('is installed by the platform, opens a session and lists the installation', async () => {
    const server = world.create();
    const { url, events, warnings } = await server.start();

    const { pluginId, instanceId } = await installAt(world, url);
    const { status } = await openSessionAt(world, url, instanceId);
    const found = await collect(server.installations.list({ status: 'active' }));

    expect(status).toBe(201);
    expect(found).toMatchObject([{ pluginId, tenantId: world.tenantId, plugin: '' }]);
    const id = found[0]?.id ?? '';
    expect(await server.installations.get(id)).toEqual(found[0]);
    expect(await collect(server.installations.instanceIds(id))).toEqual([instanceId]);
    expect(events.map(({ url: address }) => address.href)).toContain(`${url}/lifecycle/install`);
    expect(warnings).toEqual([]);
    expect(world.observations.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['event.answered', 'token.exchanged', 'session.opened']),
    );
  });

  test('reads pages of installations until there are no more', async () => {
    const server = world.create();
    const { url } = await server.start();
    for (let count = 0; count < 3; count += 1) await installAt(world, url);

    const found = await collect(server.installations.list({ pageSize: 2 }));

    expect(new Set(found.map(({ id }) => id)).size).toBe(3);
  });

  test('lists the installations of a group of the dashboard', async () => {
    const server = world.create();
    const { url } = await server.start();
    for (let count = 0; count < 3; count += 1) await installAt(world, url);
    const [broken, risky] = await collect(server.installations.list());
    using database = new DatabaseSync(join(world.folder, 'dowel.sqlite'), { timeout: 60_000 });
    const set = database.prepare('update installations set condition = ? where id = ?');
    set.run('awaiting', broken?.id ?? '');
    set.run('expiring', risky?.id ?? '');

    const listIds = async (group: 'broken' | 'risk') =>
      (await collect(server.installations.list({ group, pageSize: 2 }))).map(({ id }) => id);

    expect([await listIds('broken'), await listIds('risk')]).toEqual([[broken?.id], [risky?.id]]);
  });

  test('is started once, also when it is asked twice', async () => {
    const server = world.create();

    const [one, other] = await Promise.all([server.start(), server.start()]);

    expect(other).toBe(one);
    expect((await fetch(`${one.url}/livez`)).status).toBe(200);
  });

  test('an observer that throws changes no answer', async () => {
    const server = world.create({
      observe: () => {
        throw new Error('broken');
      },
    });
    const { url } = await server.start();

    const { instanceId } = await installAt(world, url);

    expect((await openSessionAt(world, url, instanceId)).status).toBe(201);
  });

  test('S28: database files are for their own user only, under any umask', async () => {
    const former = process.umask(0o022);
    try {
      const folder = join(world.folder, 'new');
      await world.create({ database: { path: join(folder, 'dowel.sqlite') } }).start();
      const names = ['dowel.sqlite', 'dowel.sqlite-wal', 'dowel.sqlite-shm', 'encryption.key'];

      const modes = await Promise.all(
        names.map(async (name) => (await stat(join(folder, name))).mode & 0o777),
      );

      expect(modes).toEqual([0o600, 0o600, 0o600, 0o600]);
    } finally {
      process.umask(former);
    }
  });
});

describe('a server that is not open', () => {
  test('does no I/O, and answers 503 with Retry-After', async () => {
    const path = join(world.folder, 'new', 'dowel.sqlite');
    const server = world.create({ database: { path } });
    const host = createHttpServer(server.callback());
    const url = await listenOnLoopback(host);

    const response = await fetch(`${url}/livez`);

    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toEqual({ code: 503, message: 'The server is not open' });
    const call = await fetch(`${url}/api/vote`, { method: 'POST', body: '{}' });
    expect(await call.json()).toEqual({ code: 'OVERLOADED', message: 'The server is not open' });
    expect(server.isReady()).toBe(false);
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    await server.open();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(server.isReady()).toBe(true);
    await closeHost(host);
  });

  test('cannot list installations', async () => {
    await expect(world.create().installations.get('x')).rejects.toThrow(/await open\(\)/);
  });

  test('may be drained, opens all the same, and is drained by close', async () => {
    const server = world.create({
      limits: { stopGraceMs: 1_000 },
      publicRoutes: (router) => router.get('/endless', () => new Promise(() => {})),
    });
    await server.drain();
    await server.open();
    const host = createHttpServer(server.callback());
    const arrived = once(host, 'request');
    const answer = fetch(`${await listenOnLoopback(host)}/endless`);
    await arrived;

    await Promise.all([expect(answer).rejects.toThrow(), server.close()]);

    await closeHost(host);
  });

  test('that could not open has left no database open', async () => {
    const { apiAccess: _, ...withoutScopes } = await readSampleManifest();
    const server = world.create({ manifest: withoutScopes, operations: { createNotification } });
    const count = async () => (await readdir('/proc/self/fd')).length;
    await expect(server.open()).rejects.toThrow(/scope plugin:notify/);
    const before = await count();

    for (let tries = 0; tries < 5; tries += 1) await expect(server.open()).rejects.toThrow();

    expect(await count()).toBeLessThanOrEqual(before);
  });

  test('open may be called again, and opens once', async () => {
    const server = world.create();

    await Promise.all([server.open(), server.open()]);
    await server.open();

    expect(server.isReady()).toBe(true);
    const read = world.lines.filter(({ message }) => message === 'configuration.read');
    expect(read).toHaveLength(1);
  });

  test('a manifest that only the linter refuses is served as it is, and operations may need any of its scopes', async () => {
    const manifest = await readSampleManifest();
    const file = join(world.folder, 'manifest.json');
    const client = { mode: ['authorization_code'], scope: ['plugin:notify', 'plugin:read'] };
    const written = JSON.stringify({ ...manifest, name: 1, apiAccess: { url: 'hooks/', client } });
    await writeFile(file, written);
    const empty = { input: z.object({}), output: z.object({}) };
    const needing = (scope: string) => ({
      list: defineOperation({ ...empty, scopes: [scope], run: () => ({}) }),
    });

    const refused = world.create({ manifest: file, operations: needing('plugin:write') });
    await expect(refused.open()).rejects.toThrow(/scope plugin:write/);
    const server = world.create({ manifest: file, operations: needing('plugin:read') });
    const { url } = await server.start();

    expect(await (await fetch(`${url}/manifest.json`)).text()).toBe(written);
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({
      info: { title: 'Plug-in' },
    });
  });

  test('a failed open can be tried again', async () => {
    const file = join(world.folder, 'manifest.json');
    const server = world.create({ manifest: file });

    await expect(server.open()).rejects.toThrow(/cannot be read/);
    await writeFile(file, JSON.stringify(await readSampleManifest()));
    await server.open();

    expect(server.isReady()).toBe(true);
  });
});

describe('close', () => {
  test('P3: makes a server unready at once, before it stops listening', async () => {
    const server = world.create({ environment: { DOWEL_DRAIN_MS: '1000' } });
    await server.start();

    const closed = server.close();
    // Before any timer, such as that of the last second in which it listens.
    await new Promise((resolve) => setImmediate(resolve));
    const isReady = server.isReady();
    await closed;

    expect(isReady).toBe(false);
  });

  test('the log says when a server begins, serves and has ended, with version and port', async () => {
    const server = world.create();
    const { port } = await server.start();
    await server.close();

    const told = world.lines.filter(({ message }) => message.startsWith('server.'));
    const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
    expect(told).toEqual([
      {
        level: 'info',
        message: 'server.started',
        fields: { version, node: process.version },
      },
      { level: 'info', message: 'server.ready', fields: { port } },
      { level: 'info', message: 'server.stopped', fields: {} },
    ]);
  });

  test('the log of a mounted server says once that it serves', async () => {
    const server = world.create();
    await server.open();

    const told = world.lines.map(({ message }) => message);
    expect(told.filter((message) => message === 'server.ready')).toHaveLength(1);
  });

  test('a failure is in the log before the server counts as closed', async () => {
    const manifest = await readSampleManifest();
    const server = createServer({ manifest, ...world.common });
    const { url } = await server.start();
    const { pluginId } = await installAt(world, url);
    // It prevents that deleted tokens are erased from the log of SQLite.
    const reader = new DatabaseSync(join(world.folder, 'dowel.sqlite'));
    reader.exec('begin');
    reader.prepare('select id from installations').get();
    await world.platform.uninstall({ tenantId: world.tenantId, pluginId });

    const closing = server.close();
    closing.catch(() => undefined);
    await server.closed;

    expect(world.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'server.close_failed' }),
    );
    await expect(closing).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    reader.close();
  });

  test('ends a wait for the database', async () => {
    const server = world.create({ database: { url: 'postgres://dowel@127.0.0.1:1/dowel' } });
    const opened = server.start();
    opened.catch(() => undefined);
    await expect.poll(() => world.observations).toMatchObject([{ type: 'database.awaited' }]);

    await server.close();

    await expect(opened).rejects.toMatchObject({ code: 'SERVER_CLOSED' });
  });

  test('is final, may be called twice, and leaves no listener', async () => {
    const before = process.listenerCount('SIGTERM');
    const server = world.create();
    const { url } = await server.start();
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);

    await Promise.all([server.close(), server.close()]);
    await server.closed;

    await expect(fetch(`${url}/livez`)).rejects.toThrow();
    for (const again of [server.open, server.start]) {
      await expect(again()).rejects.toMatchObject({ code: 'SERVER_CLOSED' });
    }
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  test.each([
    ['its own log', {}],
    ['a log of the program', { log: silentLog }],
  ])('ends the timer of %s', async (_name, options) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const server = createServer({ environment: {}, ...options });
      expect(vi.getTimerCount()).toBe(1);

      await server.close();

      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('before open closes what is not there', async () => {
    const server = world.create();

    await server.close();

    await expect(server.start()).rejects.toMatchObject({ code: 'SERVER_CLOSED' });
  });
});

describe('drain', () => {
  test('is not ready from then on, closes connections and waits for what is under way', async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const server = world.create({
      publicRoutes: (router) =>
        router.get('/slow', async () => {
          entered.resolve();
          await gate.promise;
          return { body: { isDone: true } };
        }),
    });
    const host = createHttpServer(server.callback());
    const url = await listenOnLoopback(host);
    await server.open();
    const slow = fetch(`${url}/slow`);
    await entered.promise;

    let isDrained = false;
    const drained = server.drain().then(() => {
      isDrained = true;
    });
    const readiness = await fetch(`${url}/readyz`);

    expect(readiness.status).toBe(503);
    expect(readiness.headers.get('connection')).toBe('close');
    expect(isDrained).toBe(false);
    gate.resolve();
    const answer = await slow;
    expect(answer.headers.get('connection')).toBe('close');
    expect(await answer.json()).toEqual({ isDone: true });
    await drained;
    host.close();
    await once(host, 'close');
  });

  test('answers pipelined requests that are under way', async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    let count = 0;
    const server = world.create({
      publicRoutes: (router) =>
        router.get('/slow', async () => {
          count += 1;
          const body = `answer ${count}`;
          if (count === 2) entered.resolve();
          await gate.promise;
          return { body };
        }),
    });
    const host = createHttpServer(server.callback());
    const { port } = new URL(await listenOnLoopback(host));
    await server.open();
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2));
    await entered.promise;

    const drained = server.drain();
    gate.resolve();

    expect((await text(socket)).match(/answer \d/g)).toEqual(['answer 1', 'answer 2']);
    await drained;
    await closeHost(host);
  });

  test('gives up after graceMs', async () => {
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const server = world.create({
      publicRoutes: (router) =>
        router.get('/stuck', async () => {
          entered.resolve();
          await gate.promise;
          return {};
        }),
    });
    const host = createHttpServer(server.callback());
    const url = await listenOnLoopback(host);
    await server.open();
    const stuck = fetch(`${url}/stuck`).catch(() => undefined);
    await entered.promise;

    await server.drain({ graceMs: 1 });

    gate.resolve();
    await stuck;
    await closeHost(host);
  });

  test('two hundred keep-alive clients see no reset', async () => {
    const server = world.create({ environment: calmStop });
    const { url: address } = await server.start();
    const ready = Promise.withResolvers<void>();
    let connected = 0;
    const clients = Array.from({ length: 200 }, async () => {
      for (let count = 0; count < 100_000; count += 1) {
        const response = await fetch(`${address}/livez`);
        await response.text();
        // The server asks the client to connect elsewhere.
        if (response.headers.get('connection') === 'close') return;
        if (count === 0) connected += 1;
        if (connected === 200) ready.resolve();
        // Clients that already repeat would take the turns of those that still connect.
        await ready.promise;
      }
    });
    await ready.promise;

    await Promise.all([server.close(), ...clients]);
  });
});

describe('options', () => {
  test('win over the environment, which wins over the default', async () => {
    const server = world.create({
      environment: { DOWEL_PUBLIC_URL: 'https://a.example', DOWEL_HISTORY_DAYS: '7' },
      publicUrl: 'http://localhost:1',
    });

    await server.open();

    expect(world.lines.find(({ message }) => message === 'configuration.read')).toMatchObject({
      level: 'debug',
      fields: {
        sources: {
          publicUrl: 'option',
          'limits.historyDays': 'environment',
          proxyHops: 'default',
        },
      },
    });
  });

  test('that are no texts are options in the log, too', async () => {
    const rule = parseTrustRules('http://localhost:1=http://localhost:1/certificates/');
    const server = world.create({ trust: rule, environment: { DOWEL_DATA_DIR: world.folder } });

    await server.open();

    const read = world.lines.find(({ message }) => message === 'configuration.read');
    expect(read?.fields.sources).toMatchObject({
      trust: 'option',
      'database.path': 'option',
      manifest: 'option',
      'profile.basicEncoding': 'default',
    });
  });

  test.each([
    [{ publicUrl: 'localhost' }, /^publicUrl must be an http\(s\) URL/],
    [{ port: 70_000 }, /^port must be a port number/],
    [{ trust: 'acme' }, /^trust: "acme" is not of the form/],
    [{ limits: { historyDays: 0 } }, /^limits.historyDays must be a number of days/],
    [{ essentialScopes: ['plugin:other'] }, /does not ask for plugin:other/],
    [
      { environment: { DOWEL_PORTT: '1' } },
      /^DOWEL_PORTT is not a setting: did you mean DOWEL_PORT/,
    ],
    [{ eventPath: 'events' }, /^eventPath must be a path/],
  ])('%o is refused with the name of what is wrong', async (changes, message) => {
    await expect(world.create(changes).open()).rejects.toThrow(message);
  });

  test('an address that is in use is one line', async () => {
    const host = createHttpServer();
    const port = Number(new URL(await listenOnLoopback(host)).port);

    await expect(world.create({ port }).start()).rejects.toThrow(/^Port \d+ is in use/);
    await closeHost(host);
  });

  test.each<[string, object]>([
    ['hooks.onInstalled', { hooks: { onInstalled() {} } }],
    ['hookPolicy.timeout', { hookPolicy: { timeout: 1 } }],
    ['limits.sessions', { limits: { sessions: 1 } }],
    ['publicURL', { publicURL: 'https://example.com' }],
    ['operations', { operations: {}, plugins: { polls: {} } }],
    ['plugins.polls.hook', { plugins: { polls: { hook: {} } } }],
    ['hooks.installed', { hooks: { installed: 'yes' } }],
    ['operations.vote', { operations: { vote: () => 1 } }],
  ])('an option that cannot be is a TypeError that names it: %s', (place, options) => {
    expect(() => createServer(options as ServerOptions)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(place) }),
    );
  });

  test('no plug-in at all is a TypeError', () => {
    expect(() => createServer({ plugins: {} })).toThrow(TypeError);
  });

  test.each(['api', 'Polls', '../x', 'admin'])('no plug-in may be named %s', async (name) => {
    const manifest = await readSampleManifest();

    expect(() => createServer({ plugins: { [name]: { manifest } } })).toThrow(TypeError);
  });
});
