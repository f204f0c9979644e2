/** Opens the SQL store: one file, migrated, with the secrets of its grants sealed by the keyring. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { StoreError } from './errors.ts';
import { createEventStore } from './event-store.ts';
import { createGrantStore } from './grant-store.ts';
import { createGroupCommit } from './group-commit.ts';
import { createInboxStore } from './inbox-store.ts';
import { createInstallationStore } from './installation-store.ts';
import type { Keyring } from './keyring.ts';
import { migrations } from './migrations.ts';
import { createNodeSqliteDialect } from './node-sqlite-dialect.ts';
import { createRenewalStore } from './renewal-store.ts';
import { createReportStore } from './report-store.ts';
import { createSessionStore } from './session-store.ts';
import type { Store, Stores } from './store.ts';
import type { Tables } from './tables.ts';

export interface OpenStoreOptions {
  /** The SQLite file; made, with its folder, when missing. */
  path: string;
  keyring: Keyring;
  /** The clock of leases, epoch milliseconds: SQLite's processes share a host, and so a clock. */
  now?: () => number;
}

/** @throws StoreError `DATABASE_UNUSABLE`. */
export async function openStore({
  path,
  keyring,
  now = Date.now,
}: OpenStoreOptions): Promise<Store> {
  const db = await openDatabase(path);
  const commitTogether = createGroupCommit(db);
  const clock = () => sql<number>`${now()}`;
  const listeners = new Set<(installationId: string) => void>();

  function bind(connection: Kysely<Tables>, changed: (installationId: string) => void): Stores {
    const database: Database = { db: connection, now: clock, locksRows: false };
    return {
      installations: createInstallationStore(connection, changed),
      grants: createGrantStore(database, keyring, changed),
      renewals: createRenewalStore(database, keyring, changed),
      inbox: createInboxStore(connection),
      events: createEventStore(connection, changed),
      sessions: createSessionStore(connection),
      reports: createReportStore(connection),
    };
  }

  function announce(installationId: string): void {
    for (const listener of listeners) listener(installationId);
  }

  return {
    ...bind(db, announce),

    async transaction(work) {
      const changes = new Set<string>();
      const result = await commitTogether((transaction) =>
        work(bind(transaction, (id) => changes.add(id))),
      );
      changes.forEach(announce);
      return result;
    },

    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    close: () => db.destroy(),
  };
}

async function openDatabase(path: string): Promise<Kysely<Tables>> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const db = new Kysely<Tables>({ dialect: createNodeSqliteDialect(path) });
    const provider = { getMigrations: async () => migrations };
    const { error } = await new Migrator({ db, provider }).migrateToLatest();
    if (error) throw error;
    return db;
  } catch (cause) {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `The database ${path} cannot be used: ${(cause as Error).message}`,
      { cause },
    );
  }
}
