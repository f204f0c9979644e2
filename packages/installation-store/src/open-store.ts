/** Opens the SQL store: migrated, with the secrets of its grants sealed by the keyring. */
import type { Kysely } from 'kysely';
import { StoreError } from './errors.ts';
import { type EngineLocation, openEngine } from './open-engine.ts';
import { createReportStore } from './reports/report-store.ts';
import { maintain } from './retention/maintenance.ts';
import { checkKeys, registerActiveKey, settleKeys } from './sealing/key-check.ts';
import { createUseRecorder } from './sealing/key-use.ts';
import type { Keyring } from './sealing/keyring.ts';
import type { Database, Engine } from './sql/database.ts';
import { checkSchema, migrate } from './sql/migrate.ts';
import type { Tables } from './sql/tables.ts';
import type { Store, Stores } from './store.ts';
import { createEventStore } from './stores/event-store.ts';
import { createGrantStore } from './stores/grant-store.ts';
import { createInboxStore } from './stores/inbox-store.ts';
import { createInstallationStore } from './stores/installation-store.ts';
import { createKeyLocationStore } from './stores/key-location-store.ts';
import { createRenewalStore } from './stores/renewal-store.ts';
import { createSessionStore } from './stores/session-store.ts';

export type OpenStoreOptions = EngineLocation & { keyring: Keyring };

/**
 * Opens the store: migrates the database and checks that the keyring belongs to it. Give it the `path` of a
 * SQLite file or the `url` of a PostgreSQL database. Close it when nothing uses it any more.
 *
 * @example
 * const store = await openStore({ path, keyring });
 * const installation = await store.installations.find(key); // undefined: not installed
 * await store.close();
 *
 * @throws StoreError `DATABASE_UNAVAILABLE`, `DATABASE_UNUSABLE`, `SCHEMA_TOO_NEW`, `KEY_WRONG`,
 * `SECRET_INTEGRITY`. Nothing was written then.
 */
export async function openStore({ keyring, ...location }: OpenStoreOptions): Promise<Store> {
  const listeners: Listeners = new Set();
  const engine = await prepareEngine(openEngine(location), keyring, (id) =>
    announce(listeners, id),
  );
  const opened: OpenedStore = { engine, keyring, listeners, publishing: new Set() };
  const addUses = createUseRecorder(engine.db, keyring);

  return {
    ...bindStores(opened, {
      db: engine.db,
      locksRows: false,
      erased: engine.erased,
      changed: (id) => publishAlone(opened, id),
    }),

    transaction: (work) => runTransaction(opened, work),

    async maintain(request) {
      await addUses().catch(() => {});
      return maintain(engine, request);
    },

    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async close() {
      await Promise.all(opened.publishing);
      await addUses().catch(() => {});
      await engine.close();
    },
  };
}

type Listeners = Set<(installationId: string) => void>;

interface OpenedStore {
  readonly engine: Engine;
  readonly keyring: Keyring;
  readonly listeners: Listeners;
  /** Announcements to other processes that are under way. */
  readonly publishing: Set<Promise<void>>;
}

/** Errors thrown by listeners are ignored: the change is already committed. */
function announce(listeners: Listeners, installationId: string): void {
  for (const listener of listeners) {
    try {
      listener(installationId);
    } catch {
      // Ignored.
    }
  }
}

/** Announces a change outside a transaction after its statement. A process that misses it polls. */
function publishAlone(
  { engine, listeners, publishing }: OpenedStore,
  installationId: string,
): void {
  announce(listeners, installationId);
  const published = engine.publish(engine.db, [installationId]).catch(() => {});
  publishing.add(published);
  void published.then(() => publishing.delete(published));
}

interface StoresContext extends Pick<Database, 'locksRows' | 'erased'> {
  db: Kysely<Tables>;
  changed: (installationId: string) => void;
}

function bindStores({ engine, keyring }: OpenedStore, bound: StoresContext): Stores {
  const context = { ...bound, now: engine.now, keyring };
  const { db, changed } = bound;
  return {
    installations: createInstallationStore(context),
    grants: createGrantStore(context),
    renewals: createRenewalStore(context),
    inbox: createInboxStore(context),
    events: createEventStore(db, changed),
    sessions: createSessionStore(context),
    keyLocations: createKeyLocationStore(context),
    reports: createReportStore(db),
  };
}

/** Announces the changes of `work`, and that values were deleted, when they are committed. */
async function runTransaction<Result>(
  opened: OpenedStore,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const { engine, keyring, listeners } = opened;
  const changes = new Set<string>();
  let hasErased = false;
  const result = await engine.transaction(async (db) => {
    // The engine may have started the transaction again.
    changes.clear();
    hasErased = false;
    await settleKeys(db, keyring);
    const stores = bindStores(opened, {
      db,
      locksRows: engine.locksRows,
      erased: () => {
        hasErased = true;
      },
      changed: (id) => changes.add(id),
    });
    const done = await work(stores);
    await engine.publish(db, [...changes]);
    return done;
  });
  if (hasErased) engine.erased();
  for (const id of changes) announce(listeners, id);
  return result;
}

/** Writes nothing to a database that cannot be used, has a newer version, or is sealed with another key. */
export async function prepareEngine(
  engine: Engine,
  keyring: Keyring,
  announce?: (installationId: string) => void,
): Promise<Engine> {
  try {
    await engine.check();
    await checkSchema(engine);
    await checkKeys(engine.db, keyring);
    await migrate(engine);
    await registerActiveKey(engine.db, keyring);
    if (announce) await engine.subscribe(announce);
    // A killed process may have left deleted values readable.
    engine.erased();
    return engine;
  } catch (cause) {
    await engine.close().catch(() => {});
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `${engine.name} cannot be used: ${(cause as Error).message}`,
      { cause },
    );
  }
}
