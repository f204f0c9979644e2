/** Opens the SQL store: migrated, with the secrets of its grants sealed by the keyring. */
import type { Kysely } from 'kysely';
import { StoreError } from './errors.ts';
import { type EngineLocation, openEngine } from './open-engine.ts';
import { createReportStore } from './reports/report-store.ts';
import { createMaintenance } from './retention/maintenance.ts';
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
  const listeners = new Set<(installationId: string) => void>();
  const engine = await prepareEngine(openEngine(location), keyring, announce);
  const publishing = new Set<Promise<void>>();
  const addUses = createUseRecorder(engine.db, keyring);
  const maintain = createMaintenance(engine);

  /** Errors thrown by listeners are ignored: the change is already committed. */
  function announce(installationId: string): void {
    for (const listener of listeners) {
      try {
        listener(installationId);
      } catch {
        // Ignored.
      }
    }
  }

  /** Announces a change outside a transaction after its statement. A process that misses it polls. */
  function changedAlone(installationId: string): void {
    announce(installationId);
    const published = engine.publish(engine.db, [installationId]).catch(() => {});
    publishing.add(published);
    void published.then(() => publishing.delete(published));
  }

  function bind(
    { locksRows, erased }: Pick<Database, 'locksRows' | 'erased'>,
    db: Kysely<Tables>,
    changed: (installationId: string) => void,
  ): Stores {
    const context = { db, now: engine.now, locksRows, erased, keyring, changed };
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

  return {
    ...bind({ locksRows: false, erased: engine.erased }, engine.db, changedAlone),

    async transaction(work) {
      const changes = new Set<string>();
      let hasErased = false;
      const erased = () => {
        hasErased = true;
      };
      const result = await engine.transaction(async (transaction) => {
        changes.clear();
        hasErased = false;
        await settleKeys(transaction, keyring);
        const { locksRows } = engine;
        const done = await work(bind({ locksRows, erased }, transaction, (id) => changes.add(id)));
        await engine.publish(transaction, [...changes]);
        return done;
      });
      if (hasErased) engine.erased();
      changes.forEach(announce);
      return result;
    },

    async maintain(request) {
      await addUses().catch(() => {});
      return maintain(request);
    },

    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async close() {
      await Promise.all(publishing);
      await addUses().catch(() => {});
      await engine.close();
    },
  };
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
