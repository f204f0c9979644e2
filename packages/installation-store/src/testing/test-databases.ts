/**
 * Databases for tests. Each test gets its own, and may pass its location to other processes. The PostgreSQL
 * server is that of DOWEL_TEST_POSTGRES_URL, which the test run sets up.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { EngineLocation } from '../open-engine.ts';
import { openStore } from '../open-store.ts';
import { createKeyring, type Keyring } from '../sealing/keyring.ts';
import type { Store } from '../store.ts';

export interface TestDatabase {
  /** The location, with which another process can open the same database. */
  location: { path: string } | { url: string };
  /** The key of 32 bytes, which another process needs as well. */
  encryptionKey: Uint8Array;
  /** Opens another store object on the same database, with the same key by default. */
  open(options?: { keyring?: Keyring }): Promise<Store>;
  /** Moves the clock of leases for every store of this database. */
  shiftClock(ms: number): Promise<void>;
  /** Runs statements directly on the database. */
  execute(statement: string): Promise<Record<string, unknown>[]>;
  /** All rows of all tables, as text. */
  dump(): Promise<string>;
  /** Closes what was opened, and removes the database. */
  destroy(): Promise<void>;
}

export interface TestDatabaseKind {
  name: 'SQLite' | 'PostgreSQL';
  /** False: its tests are skipped. */
  isAvailable: boolean;
  /** @param template what {@link templateOf} named; default: an empty database with the schema */
  create(template?: string): Promise<TestDatabase>;
  /** Without a schema, for tests of how it is made. */
  createEmpty(): Promise<TestDatabase>;
}

export const sqlite: TestDatabaseKind = {
  name: 'SQLite',
  isAvailable: true,
  create: (template = process.env.DOWEL_TEST_SQLITE_TEMPLATE) => createSqlite(template),
  createEmpty: () => createSqlite(),
};

export const postgres: TestDatabaseKind = {
  name: 'PostgreSQL',
  isAvailable: Boolean(process.env.DOWEL_TEST_POSTGRES_URL),
  create: (template = process.env.DOWEL_TEST_POSTGRES_TEMPLATE) => createPostgres(template),
  createEmpty: () => createPostgres(),
};

export const testDatabases: readonly TestDatabaseKind[] = [sqlite, postgres];

/**
 * For tests of what only calls the store. Its contract is tested on both databases, so these need one of them;
 * `npm run test:all` runs them on both.
 */
export const usualDatabases: readonly TestDatabaseKind[] =
  process.env.DOWEL_TESTS === 'all' ? testDatabases : [sqlite];

/** @param template a file to copy */
async function createSqlite(template?: string): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-sqlite-'));
  const path = await copyFileInto(folder, template);
  let aheadMs = 0;
  const stores = createOpener({ path, now: () => Date.now() + aheadMs });
  async function execute(statement: string) {
    const raw = new DatabaseSync(path, { timeout: 5_000 });
    try {
      return raw.prepare(statement).all();
    } finally {
      raw.close();
    }
  }

  return {
    location: { path },
    encryptionKey: stores.encryptionKey,
    open: stores.open,
    async shiftClock(ms) {
      aheadMs += ms;
    },
    execute,
    dump: () => dump(execute, "select name from sqlite_schema where type = 'table'"),
    async destroy() {
      await stores.closeAll();
      await rm(folder, { recursive: true });
    },
  };
}

/** An empty database with the schema in this folder. Outside of a test run, the store that opens it makes both. */
export function createDatabaseFile(folder: string): Promise<string> {
  return copyFileInto(folder, process.env.DOWEL_TEST_SQLITE_TEMPLATE);
}

async function copyFileInto(folder: string, template: string | undefined): Promise<string> {
  const path = join(folder, 'dowel.sqlite');
  if (template !== undefined) await copyFile(template, path);
  return path;
}

/** A movable clock: a function with the name of the server's clock, which is found first. */
const movedClock = `
  create schema moved;
  create table moved.clock (ahead interval not null);
  insert into moved.clock values (interval '0');
  create function moved.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() + ahead from moved.clock';`;

/** @param template a database to copy */
async function createPostgres(template = 'template0'): Promise<TestDatabase> {
  const server = process.env.DOWEL_TEST_POSTGRES_URL ?? '';
  const name = `dowel_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await copyDatabase(server, name, template);
  const stores = createOpener({ url: url.href });
  const execute = (statement: string) => query(url.href, statement);
  let isClockMoved = false;
  return {
    location: { url: url.href },
    encryptionKey: stores.encryptionKey,
    open: stores.open,
    async shiftClock(ms) {
      if (!isClockMoved) await query(url.href, movedClock);
      isClockMoved = true;
      await query(url.href, `update moved.clock set ahead = ahead + interval '${ms} milliseconds'`);
    },
    execute,
    dump: () =>
      dump(execute, "select tablename as name from pg_tables where schemaname = 'public'"),
    async destroy() {
      await stores.closeAll();
      await query(server, `drop database ${name} with (force)`);
    },
  };
}

/** Copying files takes half the CPU time of writing all pages to the log, which PostgreSQL does by default from 15 on. */
function copyDatabase(server: string, name: string, template: string): Promise<void> {
  return withClient(server, async (client) => {
    const { rows } = await client.query('show server_version_num');
    const strategy = Number(rows[0].server_version_num) < 150_000 ? '' : 'strategy file_copy';
    await client.query(`create database ${name} template ${template} ${strategy}`);
    await client.query(`alter database ${name} set search_path = public, moved, pg_catalog`);
  });
}

/**
 * Makes a database with the schema and nothing else. A copy of it takes a quarter of the time of the migrations on
 * SQLite, and half of it on PostgreSQL.
 */
export async function createTemplate(
  kind: TestDatabaseKind,
): Promise<{ name: string; drop: () => Promise<void> }> {
  const { location, execute, open, destroy } = await kind.createEmpty();
  await (await open()).close();
  // The key of a copy is another.
  await execute('delete from key_checks');
  return { name: templateOf(location), drop: destroy };
}

/** The database as a template: copies of it can be made while nobody has it open. */
export function templateOf(location: TestDatabase['location']): string {
  return 'url' in location ? new URL(location.url).pathname.slice(1) : location.path;
}

function createOpener(location: EngineLocation) {
  const opened: Store[] = [];
  const encryptionKey = randomBytes(32);
  const ownKeyring = createKeyring(encryptionKey);
  return {
    encryptionKey,
    async open({ keyring = ownKeyring } = {}): Promise<Store> {
      const store = await openStore({ ...location, keyring });
      opened.push(store);
      return store;
    },
    async closeAll() {
      for (const store of opened.splice(0)) await store.close().catch(() => {});
    },
  };
}

async function dump(execute: TestDatabase['execute'], listTables: string): Promise<string> {
  const rows: unknown[] = [];
  for (const { name } of await execute(listTables)) {
    rows.push(name, ...(await execute(`select * from "${String(name)}"`)));
  }
  return JSON.stringify(rows);
}

/** Returns the rows of the last statement. */
export function query(connectionString: string, ...statements: string[]) {
  return withClient(connectionString, async (client) => {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  });
}

async function withClient<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
