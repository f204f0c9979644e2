/** A search reads an index, whatever the database knows of the tables. */
import { randomBytes } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import { selectTextMatches } from '../postgres/trigram-index.ts';
import { createKeyring } from '../sealing/keyring.ts';
import type { Engine } from '../sql/database.ts';
import { migrate } from '../sql/migrate.ts';
import { selectTrigramMatches } from '../sqlite/trigram-index.ts';
import { explain } from '../testing/explain.ts';
import { seededKey, seedInstallations } from '../testing/seed-installations.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { beginnings, selectAny } from './fleet-search.ts';

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`a search on ${name}`, () => {
    let database: TestDatabase;
    let engine: Engine;

    beforeAll(async () => {
      database = await create();
      engine = await openEngine(database.location);
    });

    const begin = async () => {
      await migrate(engine);
      await engine.buildTextIndex();
    };

    afterAll(async () => {
      await engine.close();
      await database.destroy();
    });

    /** One database becomes each of these in turn: to fill it is most of the test's time. */
    const states: { state: string; become: () => Promise<unknown> }[] = [
      { state: 'an empty', become: begin },
      {
        state: 'an unanalysed',
        become: () => {
          const { location } = database;
          const keyring = createKeyring(randomBytes(32));
          const rows = { count: 20_000, at: Date.now(), isUnanalysed: true };
          return seedInstallations({ location, keyring, ...rows });
        },
      },
      // Without a time limit, which this takes longer than on a busy machine.
      { state: 'a full', become: () => engine.exclusive((db) => sql`analyze`.execute(db)) },
    ];

    describe.each(states)('of $state table', ({ state, become }) => {
      const isFull = state !== 'an empty';

      beforeAll(async () => {
        await become();
      });

      /** A small table of PostgreSQL is read as a whole, which is right. */
      const planOf = (statement: RawBuilder<unknown>, isLarge = !isFull) =>
        explain(engine, statement.compile(engine.db), { isLarge });

      const wholeTable = /Seq Scan|SCAN (search_texts|installations)$/m;

      test.each([8, 14])('of %i letters reads the index of the texts', async (length) => {
        const { tenantId } = seededKey(7);
        const text = tenantId.slice(0, length);
        const select = name === 'SQLite' ? selectTrigramMatches : selectTextMatches;

        const plan = await planOf(select(text, 5_001));

        expect(plan).toMatch(
          /SCAN search_trigrams VIRTUAL TABLE INDEX \d+:M|Bitmap Index Scan on search_texts_trigrams/,
        );
        expect(plan).not.toMatch(wholeTable);
      });

      test('of two letters reads a range of an index for each beginning', async () => {
        const plan = await planOf(selectAny(beginnings('a1', true), { maxFound: 5_000 }), true);

        if (isFull) expect(plan).toMatch(/search_texts_name/);
        expect(plan).toMatch(/installations_tenant/);
        expect(plan).not.toMatch(wholeTable);
      });
    });
  });
}
