/** Opens the SQL store: migrated, with the secrets of its grants sealed by the keyring. */
import type { TransactionOptions } from '@dowel/token-client';
import type { Kysely } from 'kysely';
import { createAlertStore } from './alerts/alert-store.ts';
import { type Announcer, createAnnouncer, createChangeSet } from './announcer.ts';
import { announceInTransactions } from './announcing-stores.ts';
import { StoreError } from './errors.ts';
import { type EngineLocation, openEngine } from './open-engine.ts';
import { createAuditStore } from './operators/audit-store.ts';
import { createOperatorStore } from './operators/operator-store.ts';
import { createRunStore } from './operators/run-store.ts';
import { type DatabaseObservation, holdRefresh, type LossHold, recoverLost } from './outage.ts';
import { createFleetReports } from './reports/fleet-report.ts';
import { type MaintainedDatabase, maintain } from './retention/maintenance.ts';
import { takeNamedTurn } from './retention/turns.ts';
import { createKeyReporter, reportKeys, stopReporter } from './rotation/key-report.ts';
import type { FleetCounts } from './samples/sample-series.ts';
import { createSampleStore } from './samples/sample-store.ts';
import { checkKeys, registerActiveKey, reportActiveKey } from './sealing/key-check.ts';
import type { Keyring } from './sealing/keyring.ts';
import { foldCounts } from './sql/condition-counts.ts';
import type { Change, ChangeListener, Engine } from './sql/database.ts';
import { checkSchema, migrate, readMigration } from './sql/migrate.ts';
import type { Tables } from './sql/tables.ts';
import type { CheckpointObservation } from './sqlite/checkpointer.ts';
import type { Store, Stores } from './store.ts';
import { createAccountStore } from './stores/account-store.ts';
import { createBackEndStore } from './stores/back-end-store.ts';
import { createCallStore } from './stores/call-store.ts';
import { createDeliveryStore } from './stores/delivery-store.ts';
import { createEventStore } from './stores/event-store.ts';
import { createGrantStore } from './stores/grant-store.ts';
import { createHookStore } from './stores/hook-store.ts';
import { createInboxStore } from './stores/inbox-store.ts';
import { createInstallationStore } from './stores/installation-store.ts';
import { createKeyLocationStore } from './stores/key-location-store.ts';
import { rememberSessions } from './stores/known-sessions.ts';
import { createRenewalStore } from './stores/renewal-store.ts';
import { createSessionStore } from './stores/session-store.ts';
import { createShapeStore } from './stores/shape-store.ts';
import type { StoreContext } from './stores/store-context.ts';
import { createUsabilityStore } from './stores/usability.ts';

export type OpenStoreOptions = EngineLocation & {
  keyring: Keyring;
  /** Called with what is seen of the database. Its errors are ignored. Default: none. */
  observe?: (observation: StoreObservation) => void;
  /**
   * For how long known sessions of pages are used while PostgreSQL does not answer, in milliseconds. Default 60,000; 0: not
   * at all.
   */
  withoutDatabaseMs?: number;
};

export type StoreObservation = CheckpointObservation | DatabaseObservation;

const defaultWithoutDatabaseMs = 60_000;

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
 * `SECRET_INTEGRITY`. After the first two, the database may be migrated already; open it again. After the others,
 * the stored data are as before.
 */
export async function openStore({
  keyring,
  observe = () => {},
  withoutDatabaseMs = defaultWithoutDatabaseMs,
  ...location
}: OpenStoreOptions): Promise<Store> {
  const opened: OpenedStore = {
    engine: await openEngine(location, { observe }),
    keyring,
    announcer: createAnnouncer(),
    loss: { until: 0 },
    withoutDatabaseMs,
    publishing: new Set(),
  };
  const { engine, announcer } = opened;
  await prepareEngine(engine, keyring, {
    ...announcer.heard,
    onPooled: () => observe({ type: 'pooled' }),
    onLost: async (ids) => observe(await recoverLost(engine, opened, ids)),
  });
  const keyReporter = createKeyReporter({ db: engine.reports, now: engine.now }, keyring);
  const transaction: Store['transaction'] = (work, transactionOptions) =>
    runTransaction(opened, work, transactionOptions);
  const stores = announceInTransactions(bindAlone(opened), transaction);

  return {
    ...stores,

    samples: { ...stores.samples, record: (counts) => recordSample(engine, stores, counts) },

    transaction,

    maintain: (request) => maintain({ ...engine, announcing: announceChanges(opened) }, request),

    takeTurn: (name, everyMs) => takeNamedTurn(engine, name, everyMs),

    ...describeState(opened),

    describeKeys: () => reportKeys(keyReporter),

    reportKey: () => reportActiveKey(engine, keyring),

    describeDatabase: async () => ({
      ...(await engine.describe()),
      migration: await readMigration(engine),
    }),

    onChange: announcer.add,

    onLoss: announcer.addOfLoss,

    async close() {
      await Promise.all([...opened.publishing, stopReporter(keyReporter)]);
      await engine.close();
    },
  };
}

interface OpenedStore {
  readonly engine: Engine;
  readonly keyring: Keyring;
  readonly announcer: Announcer;
  readonly loss: LossHold;
  readonly withoutDatabaseMs: number;
  /** Announcements to other processes that are under way. */
  readonly publishing: Set<Promise<void>>;
}

/** The stores outside of transactions. */
function bindAlone(opened: OpenedStore): Stores {
  const { engine } = opened;
  const stores = bindStores(opened, {
    db: engine.db,
    reportsDb: engine.reports,
    locksRows: false,
    erased: engine.erased,
    add: (change) => publishAlone(opened, change),
  });
  return { ...stores, sessions: knowSessions(opened, stores.sessions) };
}

/** As the first listener, the known sessions forget what was changed before others hear of it. */
function knowSessions(
  { engine, announcer, withoutDatabaseMs }: OpenedStore,
  sessions: Stores['sessions'],
): Stores['sessions'] {
  const isHeard = () => engine.silentMs() <= withoutDatabaseMs;
  const { find, forget } = rememberSessions(sessions.findPluginSession, isHeard);
  announcer.add(forget);
  return { ...sessions, findPluginSession: find };
}

function describeState({
  engine: { assertAvailable, connections, silentMs, outageEnd },
  announcer,
}: OpenedStore): Pick<Store, 'assertAvailable' | 'isAway' | 'figures'> {
  return {
    assertAvailable,
    isAway: () => outageEnd() === Number.POSITIVE_INFINITY,
    figures: () => ({
      silentMs: silentMs(),
      gaps: announcer.gaps(),
      ...(connections && { connections: connections() }),
    }),
  };
}

/** The process that takes the minute's sample also adds up the rows of the counts. */
async function recordSample(
  engine: Engine,
  { samples }: Pick<Stores, 'samples'>,
  counts: Partial<FleetCounts>,
): Promise<boolean> {
  const isMine = await samples.record(counts);
  if (isMine) await foldCounts(engine);
  return isMine;
}

/** Announces a change outside a transaction after its statement. */
function publishAlone({ engine, announcer, publishing }: OpenedStore, change: Change): void {
  announcer.announce([change]);
  const published = engine
    .transaction((transaction) => engine.publish(transaction, [change], announcer.origin()))
    .then((notify) => notify())
    .catch(() => {});
  publishing.add(published);
  void published.then(() => publishing.delete(published));
}

interface PartContext extends StoreContext {
  reportsDb: Kysely<Tables>;
}

interface StoresContext extends Pick<PartContext, 'db' | 'reportsDb' | 'locksRows' | 'erased'> {
  add: (change: Change) => void;
}

function bindStores({ engine, keyring, loss }: OpenedStore, { add, ...bound }: StoresContext) {
  const { now, skipsLocked } = engine;
  return createParts({
    ...bound,
    now,
    skipsLocked,
    keyring,
    changed: (installationId) => add({ installationId, ofTokens: false }),
    tokensChanged: (installationId) => add({ installationId, ofTokens: true }),
    holdRefresh: () => holdRefresh(engine, loss),
  });
}

/** One part of the store for each kind of thing that it keeps. */
export function createParts(context: PartContext) {
  const { reportsDb } = context;
  return {
    installations: createInstallationStore(context),
    grants: createGrantStore(context),
    renewals: createRenewalStore(context),
    inbox: createInboxStore(context),
    events: createEventStore(context),
    sessions: createSessionStore(context),
    accounts: createAccountStore(context),
    keyLocations: createKeyLocationStore(context),
    reports: createFleetReports(reportsDb),
    hooks: createHookStore(context),
    usability: createUsabilityStore(context),
    calls: createCallStore(context),
    audit: createAuditStore(context, reportsDb),
    operators: createOperatorStore(context),
    samples: createSampleStore(context, reportsDb),
    deliveries: createDeliveryStore(context),
    shapes: createShapeStore(context),
    alerts: createAlertStore(context),
    runs: createRunStore(context),
    backEnd: createBackEndStore(context),
  };
}

function runTransaction<Result>(
  opened: OpenedStore,
  work: (stores: Stores) => Promise<Result>,
  options?: TransactionOptions,
): Promise<Result> {
  const { locksRows } = opened.engine;
  return commitChanges(
    opened,
    ({ db, ...context }) => work(bindStores(opened, { db, reportsDb: db, locksRows, ...context })),
    options,
  );
}

function announceChanges(opened: OpenedStore): MaintainedDatabase['announcing'] {
  return (work) =>
    commitChanges(opened, ({ db, add }) =>
      work(db, (installationId) => add({ installationId, ofTokens: false })),
    );
}

/** Announces the changes of `work`, and that values were deleted, when they are committed. */
async function commitChanges<Result>(
  { engine, announcer }: OpenedStore,
  work: (context: Pick<StoresContext, 'db' | 'erased' | 'add'>) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  const changes = createChangeSet();
  let hasErased = false;
  let isWorkDone = false;
  let notify = () => {};
  const erased = () => {
    hasErased = true;
  };
  try {
    const result = await engine.transaction(async (db) => {
      // The engine may have started the transaction again.
      changes.clear();
      hasErased = false;
      isWorkDone = false;
      const done = await work({ db, erased, add: changes.add });
      notify = await engine.publish(db, changes.list(), announcer.origin());
      isWorkDone = true;
      return done;
    }, options);
    if (hasErased) engine.erased();
    announcer.announce(changes.list());
    notify();
    return result;
  } catch (error) {
    if (isWorkDone) announcer.announceUncertain(changes.list());
    throw error;
  }
}

/** Writes nothing to a database that cannot be used, has a newer version, or is sealed with another key. */
export async function prepareEngine(
  engine: Engine,
  keyring: Keyring,
  listener?: ChangeListener,
): Promise<Engine> {
  try {
    await engine.check();
    const isMigrated = await checkSchema(engine);
    await checkKeys(engine.db, keyring);
    if (!isMigrated) await migrate(engine);
    await registerActiveKey(engine.db, keyring);
    if (listener) await engine.subscribe(listener);
    // control K8
    if (engine.wasLeftOpen) engine.erased();
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
