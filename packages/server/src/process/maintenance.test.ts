import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createKeyring, openStore, type Store } from '@dowel/installation-store';
import { createDatabaseFile } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startMaintenance } from './maintenance.ts';

let folder: string;
let store: Store;
const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-maintenance-'));
  const path = await createDatabaseFile(folder);
  store = await openStore({ path, keyring: createKeyring(randomBytes(32)) });
  vi.clearAllMocks();
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

test('due maintenance runs, and its deletions are logged', async () => {
  await store.sessions.createAdminSession('hash', {
    id: 's',
    name: 'ada',
    role: 'owner',
    method: 'code',
    identity: { method: 'code', issuer: null, subject: 'ada' },
    accountRevision: null,
    createdAt: 0,

    expiresAt: Date.now() - 1,
    idleAt: Date.now() - 1,
    address: null,
    browser: null,
    system: null,
  });
  const maintenance = startMaintenance({ store, historyDays: 30, logger, everyMs: 1 });

  await vi.waitFor(() => expect(logger.info).toHaveBeenCalled(), 120_000);
  await maintenance.stop();

  expect(logger.info).toHaveBeenCalledExactlyOnceWith(
    { deleted: { admin_sessions: 1 } },
    'maintenance.done',
  );
});

test('counts that differed are in the log', async () => {
  const database = new DatabaseSync(join(folder, 'dowel.sqlite'));
  database.exec(`insert into condition_counts (condition, n) values ('healthy', 2)`);
  database.close();

  const maintenance = startMaintenance({ store, historyDays: 30, logger, everyMs: 1 });
  await vi.waitFor(() => expect(logger.info).toHaveBeenCalled(), 120_000);
  await maintenance.stop();

  expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
    { repairedCounts: [{ condition: 'healthy', cause: null, n: -2 }] },
    'maintenance.counts_differed',
  );
});

test('a failure is logged, and the next run tries again', async () => {
  await store.close();
  const maintenance = startMaintenance({ store, historyDays: 30, logger, everyMs: 1 });

  await vi.waitFor(() => expect(logger.error.mock.calls.length).toBeGreaterThan(1), 120_000);
  await maintenance.stop();

  expect(logger.error).toHaveBeenCalledWith({ err: expect.any(Error) }, 'maintenance.failed');
});

test('stopping ends the running deletion, waits for it, and starts no other', async () => {
  const deleting = Promise.withResolvers<undefined>();
  const maintain = vi.fn((_request: Parameters<Store['maintain']>[0]) => deleting.promise);
  const maintenance = startMaintenance({
    store: { maintain },
    historyDays: 30,
    logger,
    everyMs: 1,
  });
  await vi.waitFor(() => expect(maintain).toHaveBeenCalled(), 120_000);

  let hasStopped = false;
  const stopped = maintenance.stop().then(() => {
    hasStopped = true;
  });
  await new Promise(setImmediate);
  expect(hasStopped).toBe(false);
  expect(maintain.mock.calls[0]?.[0].signal?.aborted).toBe(true);

  deleting.resolve(undefined);
  await stopped;
  expect(maintain).toHaveBeenCalledOnce();
});
