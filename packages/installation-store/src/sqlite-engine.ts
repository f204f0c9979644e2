/** SQLite: one file, one connection, one transaction at a time; other processes are not told of changes. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import type { Engine, SchemaSpelling } from './database.ts';
import { createGroupCommit } from './group-commit.ts';
import { createNodeSqliteDialect } from './node-sqlite-dialect.ts';
import type { Tables } from './tables.ts';

const spelling: SchemaSpelling = {
  identityType: 'integer',
  identity: (column) => column.primaryKey().autoIncrement(),
  key: 'text',
  storedByKey: (table) => table.modifyEnd(sql`without rowid`),
};

/**
 * @param path made, with its folder, when missing.
 * @param now epoch milliseconds: SQLite's processes share a host, and so a clock.
 */
export function openSqlite(path: string, now: () => number): Engine {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = new Kysely<Tables>({ dialect: createNodeSqliteDialect(path) });
  return {
    name: `The database ${path}`,
    db,
    now: () => sql<number>`${now()}`,
    locksRows: false,
    spelling,
    check: async () => {},
    migration: (work) => db.transaction().execute(work),
    transaction: createGroupCommit(db),
    publish: async () => {},
    subscribe: async () => {},
    erased: () => {},
    close: () => db.destroy(),
  };
}
