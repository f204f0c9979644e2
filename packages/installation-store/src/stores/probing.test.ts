/** When a grant that cannot be renewed is looked at, and that others do not come before it in the index. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assertOutcome, granted, loadGrant, minute, request, tokens } from '../contract/check.ts';
import { openEngine } from '../open-engine.ts';
import { createKeyring } from '../sealing/keyring.ts';
import type { Store } from '../store.ts';
import { explain } from '../testing/explain.ts';
import { seedInstallations } from '../testing/seed-installations.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { claimDueProbes } from './probing.ts';

const at = Date.now();
const pause = { by: 'night.desk', reason: 'tenant asked for it' };
const failure = { mayBeSpent: false, mayArrive: false, retryInMs: 1, reason: 'server_error' };

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`probes on ${name}`, () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await create();
      store = await database.open();
    });
    afterEach(() => database.destroy());

    async function takeLease(id: string) {
      const grant = await loadGrant(store, id);
      return assertOutcome(await store.renewals.acquire(grant, request()), 'acquired').lease;
    }

    /** A grant with this end of its token, whose refresh fails. */
    async function failing(expiresAt: number | null): Promise<string> {
      const { installation, grant } = await granted(store);
      const renewed = { ...tokens('b'), expiresAt };
      await store.transaction(({ grants }) => grants.commitRefresh(grant, renewed));
      await store.renewals.release(await takeLease(installation.id), failure);
      return installation.id;
    }

    async function probeAt(): Promise<number | null> {
      const [row] = await database.execute('select probe_at from grants');
      return row?.probe_at == null ? null : Number(row.probe_at);
    }

    test('a grant is looked at from the end of its token on', async () => {
      const expiresAt = at + 60 * minute;
      await failing(expiresAt);

      expect(await probeAt()).toBe(expiresAt);
    });

    test('a grant without a named end is looked at from the first failure on', async () => {
      await failing(null);

      expect(await probeAt()).toBeGreaterThanOrEqual(at - minute);
      expect(await probeAt()).toBeLessThan(at + 60 * minute);
    });

    test('a grant that dies before the end of its token is looked at from its death on', async () => {
      const id = await failing(at + 60 * minute);
      const grant = await loadGrant(store, id);
      await store.transaction(({ grants }) => grants.markAwaitingEvent(grant, 'x', at + minute));

      expect(await probeAt()).toBe(at + minute);
    });

    test('a pause takes the time away, and a resume sets it again', async () => {
      const expiresAt = at + 60 * minute;
      const id = await failing(expiresAt);
      await store.transaction(({ operators }) => operators.pause(id, pause));
      expect(await probeAt()).toBeNull();

      await store.transaction(({ operators }) => operators.resume(id));
      expect(await probeAt()).toBe(expiresAt);
    });

    test('a failure during a pause sets no time before the resume', async () => {
      const { id } = (await granted(store)).installation;
      const lease = await takeLease(id);
      await store.transaction(({ operators }) => operators.pause(id, pause));
      await store.renewals.release(lease, failure);
      expect(await probeAt()).toBeNull();

      await store.transaction(({ operators }) => operators.resume(id));
      expect(await probeAt()).not.toBeNull();
    });

    test('a resume sets no time for a grant that has not failed', async () => {
      const { id } = (await granted(store)).installation;
      await store.transaction(({ operators }) => operators.pause(id, pause));
      await store.transaction(({ operators }) => operators.resume(id));

      expect(await probeAt()).toBeNull();
    });

    test.each([true, false])(
      'the statement reads an index of its own, unanalysed: %s',
      async (is) => {
        const { location } = database;
        const keyring = createKeyring(randomBytes(32));
        await seedInstallations({ location, keyring, count: 1_000, at, isUnanalysed: is });
        const engine = await openEngine(location);

        const claim = claimDueProbes(engine, { afterMs: minute, everyMs: minute, limit: 100 });
        const plan = await explain(engine, claim.compile(), { isLarge: true });
        expect(plan).toMatch(/(INDEX|Index Scan (using|on)) grants_probe/);
        expect(plan).not.toMatch(/Seq Scan on grants|SCAN (grants|due)$/m);

        await engine.close();
      },
    );
  });
}
