import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../log/log.ts';
import { openServerStore } from './open-store.ts';

test('the end of the thread that writes the log back is a line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-open-'));
  const path = join(folder, 'dowel.sqlite');
  const keyFile = { path: join(folder, 'encryption.key'), production: false };
  const error = vi.fn();
  const store = await openServerStore(
    { keyFile, database: { path }, withoutDatabaseMs: 0 },
    { log: { ...silentLog, error }, observe: () => {}, signal: new AbortController().signal },
  );
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const key = { issuer: 'https://acme.example.com', tenantId: 'tenant', pluginId: 'poll' };
  const installation = await store.installations.begin(key, 1, 1);

  const intent = { iat: 1, codeDigest: 'digest', baseUrl: key.issuer, trigger: null };

  // The thread is started by an erasure, and never creates the file.
  await store.transaction(({ renewals }) => renewals.beginExchange(installation, intent, 1_000));
  await store.transaction(({ installations }) => installations.uninstall(installation, 2));
  await rm(path);

  const reason = expect.stringContaining('unable to open');
  await vi.waitFor(
    () => expect(error).toHaveBeenCalledWith({ reason }, 'checkpoint.thread_ended'),
    {
      timeout: 60_000,
    },
  );
});

test('the key file is read once, also if the database is not available at first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-open-'));
  const path = join(folder, 'encryption.key');
  writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600 });
  const ending = new AbortController();
  let tries = 0;
  // A database that ends each connection.
  const away = createServer((socket) => {
    socket.destroy();
    rmSync(path, { force: true });
    tries += 1;
    if (tries === 2) ending.abort(new Error('tried again'));
  }).listen(0, '127.0.0.1');
  onTestFinished(async () => {
    away.close();
    await rm(folder, { recursive: true });
  });
  await once(away, 'listening');
  const url = `postgres://dowel@127.0.0.1:${(away.address() as AddressInfo).port}/dowel`;

  const opening = openServerStore(
    { keyFile: { path, production: true }, database: { url }, withoutDatabaseMs: 0 },
    { log: silentLog, observe: () => {}, signal: ending.signal },
  );

  await expect(opening).rejects.toThrow('tried again');
});
