/** How the audit's list is read, on each kind of database. */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openEngine } from '../open-engine.ts';
import type { Engine } from '../sql/database.ts';
import type { Store } from '../store.ts';
import { explain } from '../testing/explain.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { type EntrySelection, selectEntries } from './audit-store.ts';

const rowCount = 3_000;
/** Every so many rows of the audit, an action failed. */
const failedEvery = 1_000;

function valuesOf(index: number): string {
  const result = index % failedEvery === 0 ? 'failed' : 'done';
  const installation = index % 5 === 0 ? `'i${index % 100}'` : 'null';
  const run = index % 7 === 0 ? `'r${index % 70}'` : 'null';
  return `(${index}, 'who${index % 9}', 'owner', 'page', 'act${index % 8}', '${result}', ${installation}, ${run})`;
}

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`the list of the audit on ${name}`, () => {
    let database: TestDatabase;
    let store: Store;
    let engine: Engine;

    beforeAll(async () => {
      database = await create();
      store = await database.open();
      engine = await openEngine(database.location);
      for (let from = 0; from < rowCount; from += 1_000) {
        const rows = Array.from({ length: 1_000 }, (_, offset) => valuesOf(from + offset));
        await database.execute(`insert into audit
          (at, who, role, way, action, result, installation_id, run_id) values ${rows.join()}`);
      }
      await database.execute('analyze');
    });

    afterAll(async () => {
      await engine.close();
      await database.destroy();
    });

    const filters: [string, Omit<EntrySelection, 'limit'>][] = [
      ['result', { result: 'failed' }],
      ['who', { names: ['who1'] }],
      ['action', { action: 'act1' }],
      ['installation', { installationId: 'i5' }],
      ['run', { runId: 'r7' }],
      ['at', {}],
    ];

    test.each(filters)(
      'by %s it reads the rows of an index in their order',
      async (index, filter) => {
        const query = selectEntries(engine.db, { limit: 3, ...filter }).compile();

        const plan = await explain(engine, query, { isLarge: true });

        expect(plan).toContain(`audit_${index}`);
        expect(plan).not.toMatch(/Seq Scan|Sort|TEMP B-TREE/);
      },
    );

    test('a name is found by its beginning, in any case', async () => {
      const whoOf = async (who: string) => {
        const { entries } = await store.audit.list({ who, limit: 50 });
        return [...new Set(entries.map((entry) => entry.who))].toSorted();
      };

      expect(await whoOf('WHO')).toEqual(Array.from({ length: 9 }, (_, index) => `who${index}`));
      expect(await whoOf('Who3')).toEqual(['who3']);
      expect(await whoOf('ho3')).toEqual([]);
      const first = await store.audit.list({ who: 'who', limit: 2 });
      const { entries } = await store.audit.list({
        who: 'who',
        limit: 2,
        after: first.next ?? '',
      });
      expect(entries.map(({ at }) => at)).toEqual([rowCount - 3, rowCount - 4]);
    });

    test('those that failed are found among many that were done, the newest first', async () => {
      const { entries, next } = await store.audit.list({ result: 'failed', limit: 2 });

      expect(entries.map(({ at }) => at)).toEqual([2_000, 1_000]);
      const { entries: rest } = await store.audit.list({
        result: 'failed',
        limit: 2,
        after: next ?? '',
      });
      expect(rest.map(({ at }) => at)).toEqual([0]);
    });

    test.runIf(name === 'SQLite')(
      'it is not read on the thread that answers requests',
      async () => {
        const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');

        await store.audit.list({ who: 'who3', limit: 3 });

        const read = prepare.mock.calls.filter(([statement]) => statement.includes('"audit"'));
        prepare.mockRestore();
        expect(read).toEqual([]);
      },
    );
  });
}
