import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFile,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { begin, granted, uninstall } from '../contract/check.ts';
import { openStore, prepareEngine } from '../open-store.ts';
import { createKeyring } from '../sealing/keyring.ts';
import type { Store } from '../store.ts';
import { failAtExit } from '../testing/fail-at-exit.ts';
import { sqlite, type TestDatabase } from '../testing/index.ts';
import { startStoreProcess } from '../testing/start-store-process.ts';
import { openSqlite } from './sqlite-engine.ts';

let database: TestDatabase;
let path: string;
let folder: string;
let store: Store;
const keyring = createKeyring(randomBytes(32));

beforeEach(async () => {
  database = await sqlite.create();
  ({ path } = database.location as { path: string });
  folder = join(path, '..');
  store = await database.open();
});

afterEach(() => database.destroy());

async function filesHold(text: string, of = folder): Promise<boolean> {
  const files = await readdir(of);
  const contents = await Promise.all(files.map((file) => readFile(join(of, file))));
  return contents.some((content) => content.includes(text));
}

async function untilNoFileHolds(texts: string[], of = folder): Promise<void> {
  await vi.waitFor(
    async () => {
      for (const text of texts) expect(await filesHold(text, of)).toBe(false);
    },
    { timeout: 120_000, interval: 50 },
  );
}

/** What a process that is killed now leaves, in a folder of its own. */
async function copyWhatIsLeft(): Promise<string> {
  const left = await mkdtemp(join(tmpdir(), 'dowel-left-'));
  onTestFinished(() => rm(left, { recursive: true }));
  for (const name of ['dowel.sqlite', 'dowel.sqlite-wal']) {
    await copyFile(join(folder, name), join(left, name));
  }
  return left;
}

/** Another process that locks the database until it is ended. */
async function lockElsewhere(file = path) {
  const source = `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(file)}, { timeout: 5000 });
    database.exec('begin immediate');
    process.stdout.write('locked');
    process.stdin.resume().on('end', () => process.exit());`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
  await Promise.race([once(child.stdout, 'data'), failAtExit(child)]);
  return {
    async end() {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
}

test('no file of the database contains a secret', async () => {
  await granted(store);

  expect(await filesHold('acme.example.com')).toBe(true);
  expect(await filesHold('canary')).toBe(false);
});

test('I08: the write-ahead log stays small under a long run of writes', async () => {
  const { id } = await begin(store);
  const logBytes = async () => (await stat(`${path}-wal`)).size;
  let largest = 0;
  let isCut = false;
  for (let count = 0; !isCut && count < 5_000; count += 1) {
    await store.installations.addInstance(id, `instance-${count}-${'x'.repeat(20_000)}`, 1);
    const bytes = await logBytes();
    isCut = bytes < largest;
    largest = Math.max(largest, bytes);
  }

  expect(isCut).toBe(true);
});

test('a store may be closed twice', async () => {
  const { installation } = await granted(store);
  await uninstall(store, installation, 2);

  await store.close();
  await store.close();
});

test('a close whose last erasure fails is reported, and closes the files', async () => {
  const other = join(folder, 'other.sqlite');
  const engine = openSqlite(other, Date.now);
  const began = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  // The log cannot be cut in the middle of a transaction.
  const working = engine.transaction(async () => {
    began.resolve();
    await gate.promise;
  });
  const ended = expect(working).rejects.toThrow();
  await began.promise;
  engine.erased();

  await expect(engine.close()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });

  // SQLite removes the log when the last connection is closed.
  await expect(stat(`${other}-wal`)).rejects.toMatchObject({ code: 'ENOENT' });
  gate.resolve();
  await ended;
});

test('a close whose last erasure another process prevents is reported, and closes the files', async () => {
  const other = join(folder, 'other.sqlite');
  const engine = openSqlite(other, Date.now);
  await sql`create table noted (content text)`.execute(engine.db);
  const reader = new DatabaseSync(other);
  reader.exec('begin; select * from noted');
  engine.erased();

  await expect(engine.close()).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining('deleted secrets'),
  });

  // SQLite removes the log when the last connection is closed.
  reader.close();
  await expect(stat(`${other}-wal`)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.runIf(process.platform === 'linux')(
  'an engine that was never used closes its files',
  async () => {
    const other = join(folder, 'other.sqlite');
    const openFiles = async () => {
      const names = await readdir('/proc/self/fd');
      const targets = await Promise.all(
        names.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')),
      );
      return targets.filter((target) => target.startsWith(other));
    };
    const engine = openSqlite(other, Date.now);
    expect(await openFiles()).not.toEqual([]);

    await engine.close();

    expect(await openFiles()).toEqual([]);
  },
);

test('nothing is acknowledged after the file was deleted, and no other is created', async () => {
  const { installation } = await granted(store);
  await uninstall(store, installation, 2);
  await rm(path);
  // Longer than an erasure waits.
  await sleep(1_500);
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });

  await expect(begin(store)).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining('was deleted or replaced'),
  });
});

test('nothing is acknowledged right after the file was deleted, and work that has not begun fails as unwritten', async () => {
  await begin(store);
  await rm(path);

  const message = expect.stringContaining('was deleted or replaced');
  // Its commit is in the deleted file.
  await expect(begin(store)).rejects.toMatchObject({ message, isUnwritten: false });
  await expect(begin(store)).rejects.toMatchObject({
    message: expect.stringContaining('was not begun'),
    isUnwritten: true,
  });
});

test.each([
  ['transaction', (id: string) => store.installations.addInstance(id, 'i', 1)],
  ['statement', () => store.sessions.removeAdminSession('none')],
])('a read does not wait for a %s that another process blocks', async (_, startWrite) => {
  const { id } = await begin(store);
  const lock = await lockElsewhere();
  let isWritten = false;
  const write = startWrite(id).then(() => {
    isWritten = true;
  });

  expect(await store.installations.get(id)).toMatchObject({ id });

  expect(isWritten).toBe(false);
  await lock.end();
  await write;
});

test('a read does not wait for the transaction of another caller', async () => {
  const { id } = await begin(store);
  const gate = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const transaction = store.transaction(async () => {
    began.resolve();
    await gate.promise;
  });
  await began.promise;

  expect(await store.installations.get(id)).toMatchObject({ id });

  gate.resolve();
  await transaction;
});

/** Another process has the database open, so that closing a store does not empty the log. */
function readElsewhere(): void {
  const reader = new DatabaseSync(path);
  reader.prepare('select count(*) from grants').get();
  onTestFinished(() => reader.close());
}

async function sealedTexts(): Promise<string[]> {
  const [row] = await database.execute('select * from grants');
  const columns = ['access_token_sealed', 'refresh_token_sealed', 'client_secret_sealed'];
  return columns.map((column) => String(row?.[column]));
}

test('E10: data that an uninstall deleted is soon in no file', async () => {
  readElsewhere();
  const { installation } = await granted(store);
  const sealed = await sealedTexts();
  for (const text of sealed) expect(await filesHold(text)).toBe(true);

  await uninstall(store, installation, 2);

  await untilNoFileHolds(sealed);
});

test('E10: the id of a user who was erased is soon in no file', async () => {
  readElsewhere();
  const { id: installationId } = await begin(store);
  const userId = randomUUID();
  const session = { installationId, generation: 1, userId, instanceId: 'i', expiresAt: 10 };
  await store.sessions.createPluginSession(randomUUID(), session, randomUUID());
  expect(await filesHold(userId)).toBe(true);

  await store.operators.eraseUser({ userId });

  await untilNoFileHolds([userId]);
});

test('E10: data that a process deletes before its end is in no file either', async () => {
  readElsewhere();
  const { installation } = await granted(store);
  const sealed = await sealedTexts();

  await uninstall(store, installation, 2);
  await store.close();

  for (const text of sealed) expect(await filesHold(text)).toBe(false);
});

test('E10: data that a killed process deleted is soon in no file', async () => {
  const { installation } = await granted(store);
  const sealed = await sealedTexts();
  // While it reads, this process cannot cut its log.
  const reader = new DatabaseSync(path);
  onTestFinished(() => reader.close());
  reader.exec('begin');
  reader.prepare('select count(*) from grants').get();
  await uninstall(store, installation, 2);
  const left = await copyWhatIsLeft();
  for (const text of sealed) expect(await filesHold(text, left)).toBe(true);

  const restarted = openSqlite(join(left, 'dowel.sqlite'), Date.now);
  onTestFinished(() => restarted.close());
  await prepareEngine(restarted, createKeyring(database.encryptionKey));

  await untilNoFileHolds(sealed, left);
});

test('a database that was closed cleanly is not erased again', async () => {
  await begin(store);
  await store.close();

  const reopened = openSqlite(path, Date.now);
  onTestFinished(() => reopened.close());

  expect(reopened.wasLeftOpen).toBe(false);
});

test('a write waits for another process without blocking the event loop', async () => {
  let turns = 0;
  // A busy machine may hold one try up. A write that blocks does so in each of them.
  for (let tries = 0; tries < 5 && turns <= 10; tries += 1) turns = await countTurnsOfWrite();

  expect(turns).toBeGreaterThan(10);
});

/** How often the event loop turns in the first 300 ms of a write that another process blocks. */
async function countTurnsOfWrite(): Promise<number> {
  const lock = await lockElsewhere();
  let turns = 0;
  let turning = setImmediate(turn);
  function turn() {
    turns += 1;
    turning = setImmediate(turn);
  }

  const written = begin(store);
  const first = await Promise.race([written, sleep(300, 'locked')]);
  clearImmediate(turning);
  await lock.end();

  expect(first).toBe('locked');
  expect(await written).toMatchObject({ status: 'pending' });
  return turns;
}

test('D6: a database that another process does not release is unavailable, and recovers', async () => {
  const installation = await begin(store);
  const lock = await lockElsewhere();

  await expect(begin(store)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });

  expect(await store.installations.get(installation.id)).toBeDefined();
  await lock.end();
  await store.installations.addInstance(installation.id, 'i', 1);
});

test('D6: statements that wait for another process give up together', async () => {
  const { id } = await begin(store);
  const lock = await lockElsewhere();
  const failures: unknown[] = [];
  const write = async (index: number) => {
    await store.installations.get(id);
    await store.installations.addInstance(id, `i-${index}`, 1).catch((error) => {
      failures.push(error);
    });
  };

  const first = write(0);
  // The others arrive while the first is blocked, so they are not in its group commit.
  await sleep(300);
  const others = [write(1), write(2), write(3)];
  await first;
  // Not a pause, only what is ready: with separate deadlines, the others would wait for some seconds more.
  for (let turns = 0; turns < 3; turns += 1) await nextTurn();

  const unavailable = expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' });
  expect(failures).toEqual(Array(4).fill(unavailable));
  await Promise.all(others);
  await lock.end();
  await store.installations.addInstance(id, 'i', 1);
});

test('a start waits for another process’s migration, longer than a statement', async () => {
  const other = join(folder, 'other.sqlite');
  const raw = new DatabaseSync(other);
  raw.exec('PRAGMA journal_mode = WAL');
  raw.close();
  const lock = await lockElsewhere(other);

  const opening = openStore({ path: other, keyring });
  const first = await Promise.race([opening.catch(() => 'refused'), sleep(5_500, 'waiting')]);
  await lock.end();

  expect(first).toBe('waiting');
  await (await opening).close();
});

test('D7: a full disk refuses writes and keeps what was acknowledged', async () => {
  const full = startStoreProcess({ maxFileBytes: 768 * 1024 });
  onTestFinished(() => full.kill());

  const { stored, errors, counted } = JSON.parse(await full.tell('fill', database)) as {
    stored: string[];
    errors: string[];
    counted: number;
  };

  expect(new Set(errors)).toEqual(new Set(['DATABASE_UNAVAILABLE']));
  expect(counted).toBe(stored.length);
  for (const id of stored) expect(await store.installations.get(id)).toBeDefined();
  await begin(store);
});

test.runIf(process.platform === 'linux')(
  'D7: a database that its disk refuses is unavailable until a write succeeds',
  async () => {
    const full = startStoreProcess();
    onTestFinished(() => full.kill());
    await full.tell('hold', database);

    full.fillDisk();
    expect(await full.tell('write', database)).toBe('refused');
    expect(await full.tell('probe', database)).toBe('unavailable');
    expect(await full.tell('probe', database)).toBe('unavailable');
    full.freeDisk();

    expect(await full.tell('probe', database)).toBe('available');
    expect(await full.tell('write', database)).toBe('written');
  },
);

test('D7: a check writes once after a refused write, and then no more', async () => {
  const small = join(folder, 'small.sqlite');
  const engine = openSqlite(small, Date.now);
  onTestFinished(() => engine.close());
  await sql`create table filled (content blob)`.execute(engine.db);
  await engine.transaction((transaction) => sql`PRAGMA max_page_count = 1`.execute(transaction));
  const logBytes = async () => (await stat(`${small}-wal`)).size;

  const before = await logBytes();
  await engine.assertAvailable();
  const refused = sql`insert into filled values (zeroblob(100000))`.execute(engine.db);
  await expect(refused).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    isUnwritten: true,
  });
  expect(await logBytes()).toBe(before);

  await engine.assertAvailable();
  const after = await logBytes();
  await engine.assertAvailable();

  expect(after).toBeGreaterThan(before);
  expect(await logBytes()).toBe(after);
});

test('a store does not open where the write-ahead log is refused', async () => {
  await expect(openStore({ path: ':memory:', keyring })).rejects.toMatchObject({
    code: 'DATABASE_UNUSABLE',
    message: expect.stringContaining('write-ahead log'),
  });
});

test('a symbolic link to the database is followed, also to its log', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'dowel-link-'));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  const link = join(elsewhere, 'dowel.sqlite');
  await symlink(path, link);

  const linked = await openStore({ path: link, keyring: createKeyring(database.encryptionKey) });
  onTestFinished(() => linked.close());
  const { id } = await begin(linked);

  expect(await store.installations.get(id)).toMatchObject({ id });
  expect(await readdir(elsewhere)).toEqual(['dowel.sqlite']);
});

test('S28: a link whose file does not exist yet leads to one for its own user only', async () => {
  const target = join(folder, 'target.sqlite');
  const link = join(folder, 'link.sqlite');
  await symlink(target, link);
  const former = process.umask(0o022);
  onTestFinished(() => void process.umask(former));

  const linked = await openStore({ path: link, keyring });
  onTestFinished(() => linked.close());
  await begin(linked);

  for (const file of [target, `${target}-wal`]) {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  }
});

test('a file that is not a database, or a folder, is refused and not changed', async () => {
  const file = join(folder, 'text');
  await writeFile(file, 'no database '.repeat(100));

  for (const wrong of [file, folder]) {
    await expect(openStore({ path: wrong, keyring })).rejects.toMatchObject({
      code: 'DATABASE_UNUSABLE',
    });
  }
  expect(await readFile(file, 'utf8')).toBe('no database '.repeat(100));
});

test('each store writes durably, in every mode that the file had before', async () => {
  await store.close();
  const raw = new DatabaseSync(path);
  raw.exec('PRAGMA journal_mode = DELETE');
  raw.close();

  await begin(await database.open());

  const check = new DatabaseSync(path);
  expect(check.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
  check.close();
});
