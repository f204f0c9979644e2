import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import type { Engine } from '../sql/database.ts';
import { countStatements } from '../testing/count-statements.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { countFleet } from './fleet-counts.ts';

const now = 1_000_000_000;
const conditions = ['healthy', 'expiring', 'failing', 'pending', 'refused'];

describe.each(testDatabases)('the counts on $name', ({ isAvailable, create }) => {
  describe.skipIf(!isAvailable)('', () => {
    let database: TestDatabase;
    let engine: Engine;

    beforeAll(async () => {
      database = await create();
      engine = await openEngine(database.location);
      // Of each condition one before the moment that divides its states, and one after it.
      const rows = conditions.flatMap((condition) =>
        [1, now].map(
          (at) =>
            `('${condition}${at}', 'https://a', '${condition}${at}', 'p', 'active', 1, 1, 1, ${at}, ${at + 1}, '${condition}')`,
        ),
      );
      await database.execute(`insert into installations (id, issuer, tenant_id, plugin_id, status,
        generation, token_version, began_iat, created_at, token_expires_at, condition) values ${rows.join()}`);
      const counts = conditions.map((condition) => `('${condition}', 2)`);
      await database.execute(`insert into condition_counts (condition, n) values ${counts.join()}`);
    });

    afterAll(async () => {
      await engine.close();
      await database.destroy();
    });

    test('are of one moment, because one statement reads them, and add up', async () => {
      const { db, statements } = countStatements(engine.db);

      const { states, groups, causes } = await countFleet(db, now);

      expect(statements()).toBe(1);
      const sum = (numbers: object) => Object.values(numbers).reduce((all, n) => all + n, 0);
      expect(sum(states)).toBe(10);
      expect(sum(groups)).toBe(10);
      expect(states).toMatchObject({
        active: 1,
        idle: 1,
        unreachable: 1,
        no_tokens: 1,
        pending: 1,
      });
      expect(causes).toEqual([
        { cause: 'other', count: 2 },
        { cause: 'no_tokens', count: 1 },
        { cause: 'unreachable', count: 1 },
      ]);
    });
  });
});
