/** A database for maintenance tests, and functions to fill it. */
import type { Store } from '../store.ts';
import type { EventEntry } from '../stores/event-store.ts';
import type { Installation } from '../stores/find-installation.ts';
import type { TestDatabase, TestDatabaseKind } from './test-databases.ts';

interface NewSession {
  initJti: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  instanceId?: string;
}

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;
export const historyDays = 30;
export const key = {
  issuer: 'https://acme.example.com',
  tenantId: 'd290f1ee-6c54-4b01-90e6-d701748f0851',
  pluginId: '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de',
};

export type MaintenanceWorld = Awaited<ReturnType<typeof createMaintenanceWorld>>;

export async function createMaintenanceWorld(create: TestDatabaseKind['create']) {
  const database = await create();
  const store = await database.open();
  /** The start of the world's time. */
  const now = Date.now();
  return {
    database,
    store,
    now,
    ...createWriters(store, now),
    ...createDatabaseTools(database, store),
  };
}

export const eventOf = (installationId: string, receivedAt: number): EventEntry => ({
  installationId,
  event: 'access_token',
  receivedAt,
  durationMs: 1,
  status: 201,
  reason: null,
});

function createWriters(store: Store, now: number) {
  return {
    begin: (iat = 1) => store.installations.begin(key, iat, now),

    uninstall: (installation: Installation, iat: number) =>
      store.transaction(({ installations }) => installations.uninstall(installation, iat)),

    recordEvent: (installationId: string, receivedAt: number) =>
      store.events.recordEvent(eventOf(installationId, receivedAt)),

    recordEvents: (entries: EventEntry[]) =>
      store.transaction(async ({ events }) => {
        for (const entry of entries) await events.recordEvent(entry);
      }),

    recordOperation: (installationId: string, startedAt: number) =>
      store.events.recordTokenOperation({
        installationId,
        operation: 'refresh',
        startedAt,
        durationMs: 1,
        succeeded: true,
        tokenVersion: 1,
        reason: null,
      }),

    /** @throws Error if the store opens no session, because then there is none to remove. */
    async createSession(
      installationId: string,
      { initJti, expiresAt, instanceId = 'i' }: NewSession,
    ): Promise<'opened' | 'replayed'> {
      const session = { installationId, generation: 1, userId: 'u', instanceId, expiresAt };
      const hash = `hash of ${initJti}`;
      const outcome = await store.sessions.createPluginSession(hash, session, initJti);
      if (outcome === 'over') throw new Error('The store opened no session');
      return outcome;
    },
  };
}

function createDatabaseTools(database: TestDatabase, store: Store) {
  return {
    /** Runs maintenance with both clocks at this time. */
    async maintain(at: number, days = historyDays) {
      const aheadMs = Math.max(0, at - Date.now()) + minuteMs;
      await database.shiftClock(aheadMs);
      try {
        return await store.maintain({ now: at, historyDays: days });
      } finally {
        await database.shiftClock(-aheadMs);
      }
    },

    async count(table: string): Promise<number> {
      const [row] = await database.execute(`select count(*) as count from ${table}`);
      return Number(row?.count);
    },

    /** Adds many entries of one installation, old by default. */
    async insertEvents(installationId: string, entries: number, receivedAt = 1): Promise<void> {
      const row = `('${installationId}', 'access_token', ${receivedAt}, 1, 201)`;
      await database.execute(
        `insert into events (installation_id, event, received_at, duration_ms, status)
          values ${Array(entries).fill(row).join(', ')}`,
      );
    },
  };
}
