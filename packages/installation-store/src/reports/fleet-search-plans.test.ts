/** A search reads an index, whatever the database knows of the tables. */
import { randomBytes } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import { selectTextMatches } from '../postgres/trigram-index.ts';
import { createKeyring } from '../sealing/keyring.ts';
import type { Engine } from '../sql/database.ts';
import { selectTrigramMatches } from '../sqlite/trigram-index.ts';
import { explain } from '../testing/explain.ts';
import { seededKey, seedInstallations } from '../testing/seed-installations.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { beginnings, selectAny } from './fleet-search.ts';

const tables = [
  { state: 'an empty', count: 0, isUnanalysed: true },
  { state: 'a full', count: 20_000, isUnanalysed: false },
  { state: 'an unanalysed', count: 20_000, isUnanalysed: true },
];

describe.each(testDatabases)('a search on $name', ({ name, isAvailable, create }) => {
  describe.skipIf(!isAvailable).each(tables)('of $state table', ({ count, isUnanalysed }) => {
    let database: TestDatabase;
    let engine: Engine;

    beforeAll(async () => {
      database = await create();
      const { location } = database;
      engine = openEngine(location);
      await engine.buildTextIndex();
      const keyring = createKeyring(randomBytes(32));
      await seedInstallations({ location, keyring, count, at: Date.now(), isUnanalysed });
    }, 600_000);

    afterAll(async () => {
      await engine.close();
      await database.destroy();
    });

    /** A small table of PostgreSQL is read as a whole, which is right. */
    const planOf = (statement: RawBuilder<unknown>, isLarge = count === 0) =>
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

      if (count > 0) expect(plan).toMatch(/search_texts_name/);
      expect(plan).toMatch(/installations_tenant/);
      expect(plan).not.toMatch(wholeTable);
    });
  });
});
