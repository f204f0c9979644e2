/**
 * PostgreSQL with READ COMMITTED. A transaction locks the rows that it decides about, and NOTIFY announces
 * changes. The server's clock is used, so that processes on several hosts agree about a lease.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresAdapter, PostgresDialect, sql, type Transaction } from 'kysely';
import { StoreError } from '../errors.ts';
import type { Engine, SchemaSpelling } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { isConflict } from './postgres-error.ts';
import { channel, listen } from './postgres-listener.ts';
import {
  asPatient,
  createPostgresPool,
  type PostgresSettings,
  readPostgresUrl,
} from './postgres-pool.ts';

const minVersion = 140_000;
const maxRetries = 3;
const retryPauseMs = 20;
/** How many entries of each history to read after a gap: more than a gap contains, and few for any size of database. */
const maxEntriesAfterGap = 5_000;
const migrationLock = 7_305_614_318;

const spelling: SchemaSpelling = {
  identityType: 'bigint',
  identity: (column) => column.primaryKey().generatedAlwaysAsIdentity(),
  key: sql`text collate "C"`,
  storedByKey: (table) => table,
};

export function openPostgres(url: string, isPatient: boolean): Engine {
  const asked = readPostgresUrl(url);
  const settings = isPatient ? asPatient(asked) : asked;
  const { name } = settings;
  const db = new Kysely<Tables>({ dialect: createDialect(createPostgresPool(settings)) });
  /** Identifies this store's own messages. */
  const origin = randomUUID();
  let stopListening = async () => {};

  async function transaction<Result>(
    work: (transaction: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await db.transaction().setIsolationLevel('read committed').execute(work);
      } catch (error) {
        if (!isConflict(error) || retries === maxRetries) throw error;
        await sleep(Math.random() * retryPauseMs * 2 ** retries);
      }
    }
  }

  return {
    name,
    db,
    now: () => sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
    locksRows: true,
    spelling,
    check: () => checkServer(db, name),

    async currentSchema() {
      const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(
        db,
      );
      return rows[0]?.name ?? undefined;
    },

    exclusive: (work) => runAlone(settings, work),

    transaction,

    async publish(connection, installationIds) {
      if (installationIds.length === 0) return;
      const payloads = installationIds.map((id) => `${origin} ${id}`);
      await sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`.execute(
        connection,
      );
    },

    async subscribe(listener) {
      stopListening = await listen(settings, {
        onMessage(payload) {
          const [from, installationId] = payload.split(' ');
          if (installationId && from !== origin) listener(installationId);
        },
        // A spurious notification is harmless; a missed one is not.
        async onGap() {
          for (const id of await listRecentlyChanged(db)) listener(id);
        },
      });
    },

    erased: () => {},

    async close() {
      await stopListening();
      await db.destroy();
    },
  };
}

/** Every change to an installation adds an entry to one of its histories. */
async function listRecentlyChanged(db: Kysely<Tables>): Promise<Set<string>> {
  const histories = ['events', 'token_operations'] as const;
  const pages = await Promise.all(
    histories.map((history) =>
      db
        .selectFrom(history)
        .select('installation_id')
        .orderBy('id', 'desc')
        .limit(maxEntriesAfterGap)
        .execute(),
    ),
  );
  return new Set(pages.flat().map((entry) => entry.installation_id));
}

/** The migrator gets a transaction that holds a lock until the commit. It would release its own lock earlier. */
function createDialect(pool: ReturnType<typeof createPostgresPool>): PostgresDialect {
  return new (class extends PostgresDialect {
    override createAdapter() {
      return new (class extends PostgresAdapter {
        override async acquireMigrationLock() {}
        override async releaseMigrationLock() {}
      })();
    }
  })({ pool });
}

async function checkServer(db: Kysely<Tables>, name: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string; durability: string }>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding,
      current_setting('synchronous_commit') as durability`.execute(db);
  const { version = 0, encoding, durability } = rows[0] ?? {};
  const refuse = (why: string) =>
    new StoreError('DATABASE_UNUSABLE', `${name} cannot be used: ${why}`);
  if (version < minVersion) {
    throw refuse(`PostgreSQL 14 or newer is needed, this is ${Math.floor(version / 10_000)}`);
  }
  if (encoding !== 'UTF8') throw refuse(`its encoding is ${encoding}, not UTF8`);
  if (durability === 'off') {
    throw refuse('synchronous_commit is off: stored tokens could be lost in a crash');
  }
}

/** On a separate connection, because the pool's connections have time limits. */
async function runAlone<Result>(
  settings: PostgresSettings,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const pool = createPostgresPool(asPatient(settings));
  const db = new Kysely<Tables>({ dialect: createDialect(pool) });
  try {
    return await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction);
      return work(transaction);
    });
  } finally {
    await db.destroy();
  }
}
