/** The statement that every process runs every few seconds has the same cost for any number of installations. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import { createKeyring } from '../sealing/keyring.ts';
import type { Engine } from '../sql/database.ts';
import { explain } from '../testing/explain.ts';
import { seededId, seedInstallations } from '../testing/seed-installations.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { selectDue } from './triggers.ts';

const count = 3_000;
const at = Date.now();

describe.each(testDatabases)('due triggers on $name', ({ isAvailable, create }) => {
  describe.skipIf(!isAvailable)('', () => {
    let database: TestDatabase;
    let engine: Engine;

    beforeAll(async () => {
      database = await create();
      const { location } = database;
      await seedInstallations({ location, keyring: createKeyring(randomBytes(32)), count, at });
      engine = openEngine(location);
      const intents = Array.from(
        { length: 10 },
        (_, index) => `('${seededId(index)}', 1, 1, 'd', 1,
        'https://a.example', 1)`,
      );
      await database.execute(`insert into exchange_intents (installation_id, generation, iat,
        code_digest, presented, base_url, started_at) values ${intents.join(', ')}`);
      await database.execute(`update installations set status = 'awaiting_event'
        where id in ('${seededId(5)}', '${seededId(20)}')`);
      await database.execute('analyze');
    }, 120_000);

    afterAll(async () => {
      await engine.close();
      await database.destroy();
    });

    test('are found by index', async () => {
      const plan = await explain(engine, selectDue(engine, 100).compile(), { isLarge: true });

      expect(plan).not.toMatch(/Seq Scan on installations|SCAN installations$/m);
      expect(plan).toMatch(/installations_(awaiting|status|attention)/);
      expect(plan).toMatch(/installations_pkey|installations USING INDEX sqlite_autoindex/);
    });

    test('are listed once, for any of the reasons why they are due', async () => {
      const due = await selectDue(engine, 100).execute();

      expect(due.map(({ installationId }) => installationId).sort()).toEqual(
        [...Array.from({ length: 10 }, (_, index) => index), 20].map(seededId).sort(),
      );
      expect(await selectDue(engine, 3).execute()).toHaveLength(3);
    });
  });
});
