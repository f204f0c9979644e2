/** No batch reads a whole table, on each kind of database. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import { createKeyring } from '../sealing/keyring.ts';
import type { Engine } from '../sql/database.ts';
import { explain } from '../testing/explain.ts';
import { seededId, seedInstallations } from '../testing/seed-installations.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { deleteOldest } from './delete-oldest.ts';
import { deleteDependents, dependents } from './maintenance-tombstones.ts';
import { retentionRules } from './retention-rules.ts';

const count = 3_000;
const at = Date.now();

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`maintenance on ${name}`, () => {
    let database: TestDatabase;
    let engine: Engine;

    beforeAll(async () => {
      database = await create();
      const { location } = database;
      await seedInstallations({ location, keyring: createKeyring(randomBytes(32)), count, at });
      engine = await openEngine(location);
      for (let from = 0; from < count; from += 1_000) {
        const indexes = Array.from({ length: 1_000 }, (_, offset) => from + offset);
        const inbox = indexes.map((each) => `('${seededId(each)}', 'digest', ${at - each})`);
        const sessions = indexes.map(
          (each) => `('${each}', '${seededId(each)}', 1, 'u', 'i', 'jti', ${at})`,
        );
        await database.execute(
          `insert into inbox (installation_id, digest, received_at) values ${inbox.join(', ')}`,
        );
        await database.execute(
          `insert into plugin_sessions (token_hash, installation_id, generation, user_id, instance_id, init_jti, expires_at) values ${sessions.join(', ')}`,
        );
      }
      await database.execute('analyze');
    }, 600_000);

    afterAll(async () => {
      await engine.close();
      await database.destroy();
    });

    /** SQLite reports a scan in the order of an index, or of the row numbers, although a limit ends it. */
    const wholeTable = /Seq Scan|SCAN (?!events|token_operations|first|oldest USING)\w+$/m;

    const isSmall = ['admin_sessions', 'sign_in_codes', 'key_locations'];

    test.each(retentionRules.filter(({ table }) => !isSmall.includes(table)))(
      'the oldest $table by $at are found and deleted by index',
      async (rule) => {
        const statement = deleteOldest(rule, { before: at - 1_000, latest: at + 1_000 });
        const plan = await explain(engine, statement.compile(engine.db), { isLarge: true });

        expect(plan).not.toMatch(wholeTable);
        expect(plan).toMatch(
          /SEARCH \w+ USING (INTEGER )?(PRIMARY KEY|INDEX)|Index Scan using \w+_(pkey|key|recovered|settled)/,
        );
      },
    );

    test.each(Object.entries(dependents).filter(([table]) => table !== 'exchange_intents'))(
      'what refers to a tombstone is found and deleted by index: %s',
      async (table, key) => {
        const ids = Array.from({ length: 20 }, (_, index) => seededId(index));
        const plan = await explain(engine, deleteDependents(table, key, ids).compile(engine.db), {
          isLarge: true,
        });

        expect(plan).not.toMatch(/Seq Scan|SCAN \w+$/m);
      },
    );
  });
}
