/** The queries that each process repeats every few seconds cost the same for any number of installations. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { begin, granted, minute } from '../contract/check.ts';
import { beginExchange, isDue } from '../contract/exchange-steps.ts';
import { openEngine } from '../open-engine.ts';
import { createKeyring } from '../sealing/keyring.ts';
import { explain } from '../testing/explain.ts';
import { migrateTo } from '../testing/former-schema.ts';
import { seededId, seedInstallations } from '../testing/seed-installations.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { claimDue } from './healing.ts';

const at = Date.now();
const byIndex =
  /SEARCH installations USING (COVERING )?INDEX installations_heal|Index Scan (using|on) installations_heal[\s\S]*Index Cond: \(heal_at <=/;

for (const { name, isAvailable, create, createEmpty } of testDatabases) {
  describe.skipIf(!isAvailable)(`healing on ${name}`, () => {
    let database: TestDatabase;

    beforeEach(async () => {
      database = await create();
    });
    afterEach(() => database.destroy());

    test.each([
      { size: 'empty', count: 0, isUnanalysed: false },
      { size: 'full', count: 1_000, isUnanalysed: false },
      { size: 'full and unanalysed', count: 1_000, isUnanalysed: true },
    ])('reads an index of its own: $size', async ({ count, isUnanalysed }) => {
      const { location } = database;
      const keyring = createKeyring(randomBytes(32));
      await seedInstallations({ location, keyring, count, at, isUnanalysed });
      const waiting = Array.from({ length: count / 10 }, (_, index) => `'${seededId(index)}'`);
      if (count > 0) {
        await database.execute(`update installations
          set status = 'awaiting_event', heal_at = ${at + 10 * minute}
          where id in (${waiting.join(', ')})`);
      }
      const engine = await openEngine(location);

      const plan = await explain(engine, claimDue(engine, 100).compile(), { isLarge: true });
      expect(plan).toMatch(byIndex);
      expect(plan).not.toMatch(/Seq Scan on installations|SCAN installations$/m);

      expect(await claimDue(engine, 100).execute()).toEqual([]);
      await engine.close();
    });

    test('installations of the former schema that awaited an event, or whose exchange was abandoned, are due', async () => {
      const former = await createEmpty();
      await migrateTo(former.location, '0013_change_log');
      const row = (id: string, status: string, nextTriggerAt: number | null) =>
        `('${id}', 'https://${id}.example.com', 't', 'p', '${status}', 1, 1, 1, 1, ${nextTriggerAt})`;
      const later = at + 10 * minute;
      await former.execute(`insert into installations (id, issuer, tenant_id, plugin_id, status,
        generation, token_version, began_iat, created_at, next_trigger_at) values
        ${row('dead', 'awaiting_event', null)}, ${row('later', 'awaiting_event', later)},
        ${row('abandoned', 'pending', null)}, ${row('fine', 'active', null)}`);
      await former.execute(`insert into exchange_intents (installation_id, generation, iat,
        code_digest, presented, base_url, started_at)
        values ('abandoned', 1, 1, 'd', 1, 'https://a.example', ${at - minute})`);

      const store = await former.open();

      const due = await store.renewals.claimDue(10);
      expect(due.map(({ installationId }) => installationId).toSorted()).toEqual([
        'abandoned',
        'dead',
      ]);
      await former.destroy();
    });

    test('an intent does not delay what is due for another reason', async () => {
      const store = await database.open();
      const { installation, grant } = await granted(store);
      await store.transaction(({ grants }) => grants.markAwaitingEvent(grant, 'x', 1));
      await beginExchange(store, installation);
      await beginExchange(store, await begin(store));

      expect(await isDue(store, installation)).toBe(true);
    });
  });
}
