/** Three processes behind PgBouncer, in both of its modes: what one changes, the others know. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTokenClient } from '@dowel/token-client';
import { createStrictAuthorizationServer, createWorld } from '@dowel/token-client/testing';
import { sql } from 'kysely';
import { describe, type TestContext, test, vi } from 'vitest';
import { tokenStoreContract } from '../contract/index.ts';
import { reportChecks } from '../contract/report-checks.ts';
import { sessionChecks } from '../contract/session-checks.ts';
import { transactionChecks } from '../contract/transaction-checks.ts';
import { createKeyring, openStore, type StoreObservation } from '../index.ts';
import { openEngine } from '../open-engine.ts';
import type { Engine } from '../sql/database.ts';
import { hasPgbouncer, startPgbouncer } from '../testing/start-pgbouncer.ts';
import { postgres } from '../testing/test-databases.ts';

const processes = 3;
const uninstalls = 10;
const callEveryMs = 50;
/** Each turn takes at least its pause, so these last at least 1.5 s. */
const turns = { allowed: 30, all: 40 };
const patienceMs = 60_000;
const contract = [...sessionChecks, ...transactionChecks, ...reportChecks];
const modes = ['session', 'transaction'] as const;

/** An empty database behind PgBouncer, and stores on it. Its schema is made by the first store. */
async function startPooled({ onTestFinished }: TestContext, mode: (typeof modes)[number]) {
  const database = await postgres.createEmpty();
  onTestFinished(() => database.destroy());
  const direct = (database.location as { url: string }).url;
  const url = await startPgbouncer({ url: direct, mode }, onTestFinished);
  const keyring = createKeyring(database.encryptionKey);

  async function open() {
    const seen: StoreObservation[] = [];
    const store = await openStore({ url, keyring, observe: (each) => seen.push(each) });
    onTestFinished(() => store.close());
    return Object.assign(store, { seen });
  }
  // Migrations wait for each other.
  const stores = await Promise.all(Array.from({ length: processes }, open));
  return { database, url, stores };
}

describe.skipIf(!postgres.isAvailable || !hasPgbouncer)(
  'behind PgBouncer',
  { concurrent: true },
  () => {
    describe.for(modes)('in %s mode', (mode) => {
      test('no other process uses tokens or a session 1.5 s after an uninstall', async (context) => {
        const { expect, onTestFinished } = context;
        const { stores } = await startPooled(context, mode);
        const [own] = stores;
        if (!own) throw new Error('No store');
        const world = await createWorld({
          createServer: createStrictAuthorizationServer,
          database: { create: async () => ({ open: async () => own, destroy: async () => {} }) },
        });
        onTestFinished(() => world.close());
        const others = stores.slice(1).map((store) => ({
          store,
          client: createTokenClient({ store, internalOrigins: [world.platform.origin] }),
        }));
        const lastUses: Promise<number>[] = [];

        for (let count = 0; count < uninstalls; count += 1) {
          const plugin = await world.install();
          const { id, baseUrl: issuer, tenantId, pluginId } = plugin;
          const { session, tokenHash } = sessionOf(id);
          await own.installations.addInstance(id, session.instanceId, 1);
          await own.sessions.createPluginSession(tokenHash, session, randomUUID());
          const uses = others.flatMap(({ store, client }) => [
            () => client.getAccessToken(id),
            async () => {
              if (!(await store.sessions.findPluginSession(tokenHash, 0))) throw new Error('Ended');
            },
          ]);
          // Both are remembered.
          for (const use of uses) await use();
          // Later than the event of the install.
          const at = Math.ceil(Date.now() / 1_000) + 1;
          await own.installations.uninstall({ issuer, tenantId, pluginId }, at);
          lastUses.push(...uses.map(findLastUse));
        }

        const isLate = (turn: number) => turn > turns.allowed;
        expect((await Promise.all(lastUses)).filter(isLate)).toEqual([]);
        const ofMode = mode === 'transaction' ? [{ type: 'pooled' }] : [];
        for (const { seen } of stores) expect(seen).toEqual(ofMode);
      });

      test('migrations, whole reads with an abort, locks and the contract of stores work', async (context) => {
        const { expect, onTestFinished } = context;
        const { database, url, stores } = await startPooled(context, mode);
        const engine = await openEngine({ url });
        onTestFinished(() => engine.close());
        const findLimit = async (db: Engine['db']) => {
          const { rows } = await sql<{ limit: string }>`
          select current_setting('statement_timeout') as limit`.execute(db);
          return rows[0]?.limit;
        };
        const [store, other] = stores;
        if (!store || !other) throw new Error('No stores');
        const parts = { store, other, shiftClock: database.shiftClock, dump: database.dump };

        for (const { run } of [...tokenStoreContract, ...contract]) await run(parts);

        // The connections of a pooler are shared: what one sets, another one finds.
        const limits = Array.from({ length: 5 }, () => engine.readWhole(findLimit));
        expect(new Set(await Promise.all(limits))).toEqual(new Set(['0']));
        expect(await engine.exclusive(findLimit)).toBe('0');
        const usual = Array.from({ length: 5 }, () => findLimit(engine.db));
        // In transaction mode, one that the pooler has just opened has none. The client's own limit is left.
        const known = mode === 'session' ? ['5s'] : ['5s', '0'];
        for (const limit of await Promise.all(usual)) expect(known).toContain(limit);
        const stopping = new AbortController();
        const endless = async (db: Engine['db']) => {
          setTimeout(() => stopping.abort(), 100);
          await sql`select pg_sleep(3600)`.execute(db);
        };
        await expect(engine.readWhole(endless, stopping.signal)).rejects.toThrow();
        const running = () =>
          database.execute(`select pid from pg_stat_activity
          where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`);
        await vi.waitFor(async () => expect(await running()).toEqual([]), patienceMs);
      });
    });
  },
);

function sessionOf(installationId: string) {
  const expiresAt = Number.MAX_SAFE_INTEGER;
  const session = { installationId, generation: 1, userId: 'u', instanceId: 'i', expiresAt };
  return { session, tokenHash: randomUUID() };
}

/** Uses again and again, as pages do. Returns the turn of the last use that succeeded. */
async function findLastUse(use: () => Promise<unknown>): Promise<number> {
  let last = -1;
  for (let turn = 0; turn < turns.all; turn += 1) {
    const isUsed = await use().then(
      () => true,
      () => false,
    );
    if (isUsed) last = turn;
    await sleep(callEveryMs);
  }
  return last;
}
