/** Opens the SQL store: migrated, with the secrets of its grants sealed by the keyring. */
import type { Kysely } from 'kysely';
import type { Database, Engine } from './database.ts';
import { StoreError } from './errors.ts';
import { createEventStore } from './event-store.ts';
import { createGrantStore } from './grant-store.ts';
import { createInboxStore } from './inbox-store.ts';
import { createInstallationStore } from './installation-store.ts';
import { checkKeys, registerActiveKey, settleKeys } from './key-check.ts';
import { createKeyLocationStore } from './key-location-store.ts';
import { createUseRecorder } from './key-use.ts';
import type { Keyring } from './keyring.ts';
import { createMaintenance } from './maintenance.ts';
import { checkSchema, migrate } from './migrate.ts';
import { type EngineLocation, openEngine } from './open-engine.ts';
import { createRenewalStore } from './renewal-store.ts';
import { createReportStore } from './report-store.ts';
import { createSessionStore } from './session-store.ts';
import type { Store, Stores } from './store.ts';
import type { Tables } from './tables.ts';

export type OpenStoreOptions = EngineLocation & { keyring: Keyring };

/** @throws StoreError `DATABASE_UNAVAILABLE`, `DATABASE_UNUSABLE`, `SCHEMA_TOO_NEW`, `KEY_WRONG`, `SECRET_INTEGRITY`. */
export async function openStore({ keyring, ...location }: OpenStoreOptions): Promise<Store> {
  const listeners = new Set<(installationId: string) => void>();
  const engine = await prepareEngine(openEngine(location), keyring, announce);
  const publishing = new Set<Promise<void>>();
  const addUses = createUseRecorder(engine.db, keyring);
  const maintain = createMaintenance(engine);

  /** What is committed stays so, whatever a listener makes of it. */
  function announce(installationId: string): void {
    for (const listener of listeners) {
      try {
        listener(installationId);
      } catch {
        // Its own fault.
      }
    }
  }

  /** A change without a transaction is told after its statement; who misses it polls. */
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
    const database: Database = { db, now: engine.now, locksRows, erased };
    return {
      installations: createInstallationStore(database, changed),
      grants: createGrantStore(database, keyring, changed),
      renewals: createRenewalStore(database, keyring, changed),
      inbox: createInboxStore(database),
      events: createEventStore(db, changed),
      sessions: createSessionStore(database),
      keyLocations: createKeyLocationStore(database),
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

/** Nothing is written to a database that is unfit, of a newer version, or sealed with another key. */
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
    // What a killed process had deleted may still be readable.
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
