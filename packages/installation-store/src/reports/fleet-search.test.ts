/** The search of the list, on each kind of database: compared with a filter in memory. The seed is fixed. */
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import type { Engine } from '../sql/database.ts';
import type { Store } from '../store.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { countFleetMatches, type FleetListQuery, findFleetPage } from './fleet-page.ts';

const runsAll = process.env.DOWEL_TESTS === 'all';
const rowCount = runsAll ? 300 : 160;
/** How many of the drawn searches run. */
const share = runsAll ? 1 : 3;
const now = Date.now();
const reason = { limit: 200, sort: 'began', now } as const;
const pluginIds = ['0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de', 'fff00000-6c1f-4c39-9a3e-2f3a4ad0c0de'];
const pieces = [
  '%',
  '_',
  '\\',
  '!',
  "'",
  '"',
  '""',
  ' AND ',
  ' OR ',
  'NOT',
  'NEAR(',
  '*',
  '^',
  ':',
  '-',
  '(',
  'Ärger',
  'Öl',
  'straße',
  'ÜBER',
  '👩‍🚀',
  '🦊🦊🦊',
  'ΔΟΣΗ',
  'Acme',
  'ACME',
  'text',
  ';--',
  '$1',
  '?',
];
const operators = [
  '%',
  '%%%',
  '___',
  '!%!',
  '\\\\\\',
  '"""',
  "'''",
  'AND',
  'a AND b',
  'NEAR(a b)',
  '***',
];
const others = [
  'text:acme',
  '^acme',
  'acme*',
  'a\0b',
  '   ',
  'https://',
  'HTTPS://x',
  '🦊🦊',
  '🦊🦊🦊',
  'ü',
  'ÄR',
];

/** A small generator of numbers below 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = createRandom(20_260_101);
const below = (limit: number) => Math.floor(random() * limit);
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
const hex = (length: number) => Array.from({ length }, () => below(16).toString(16)).join('');

interface Row {
  id: string;
  name: string;
  host: string;
  tenantId: string;
  pluginId: string;
}

function newKey() {
  const host = pick([`${hex(4)}.example.com`, `acme-${hex(2)}.example.com/Path_${hex(1)}`]);
  const tenantId = [8, 4, 4, 4, 12].map(hex).join('-');
  return { host, issuer: `https://${host}`, tenantId, pluginId: pick(pluginIds) };
}

const newName = () =>
  Array.from({ length: below(5) }, () => pick(pieces))
    .join('')
    .trim();

/** A part of a stored text, perhaps in other letters, or a text that is part of none. */
function newSearch(rows: readonly Row[]): string {
  const { id, name, host, tenantId, pluginId } = pick(rows);
  const letters = Array.from(pick([id, name, name, name, host, tenantId, pluginId]));
  const from = below(letters.length);
  const part = letters.slice(from, from + 1 + below(pick([3, 8, 40]))).join('');
  return pick([part, part, part.toUpperCase(), `${part}${pick(pieces)}`]);
}

/** By letter: a sigma is the same wherever it stands. */
const lower = (text: string) => Array.from(text, (letter) => letter.toLowerCase()).join('');

/** What the search must find: written without the code that is tested. */
function filter(rows: readonly Row[], search: string): string[] {
  const text = lower(search.replace(/\0/g, ' ').trim()).replace(/^https?:\/\//, '');
  const isPart = Array.from(text).length > 2;
  const found = rows.filter((row) => {
    const parts = [row.name, row.host, row.id, row.tenantId, row.pluginId].map(lower);
    return parts.some((part) => (isPart ? part.includes(text) : part.startsWith(text)));
  });
  return found.map(({ id }) => id).toSorted();
}

for (const { name: engineName, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`the search on ${engineName}`, () => {
    let database: TestDatabase;
    let store: Store;
    let engine: Engine;
    const rows: Row[] = [];

    beforeAll(async () => {
      database = await create();
      store = await database.open();
      engine = await openEngine(database.location);
      for (let index = 0; index < rowCount; index += 1) {
        const { host, ...key } = newKey();
        const { id } = await store.installations.begin(key, index + 1, now);
        const name = newName();
        await store.operators.describe(id, { name });
        rows.push({ ...key, id, host, name });
      }
    });

    afterAll(async () => {
      await engine.close();
      await database.destroy();
    });

    type Bounds = Parameters<typeof findFleetPage>[2];
    const tight = { maxSorted: 20, maxWalked: 70 };

    async function find(query: Partial<FleetListQuery>, bounds?: Bounds): Promise<string[]> {
      const ids: string[] = [];
      let after: string | undefined;
      do {
        const page = await findFleetPage(engine.db, { ...reason, ...query, after }, bounds);
        ids.push(...page.ids);
        after = page.next ?? undefined;
      } while (after !== undefined);
      return ids.toSorted();
    }

    async function compare(searches: readonly string[]): Promise<void> {
      for (const search of searches) {
        const expected = filter(rows, search);
        expect([search, await find({ search })]).toEqual([search, expected]);
        const total = await store.reports.countMatches({ ...reason, search });
        if (search.trim() !== '' && search !== 'https://') {
          expect([search, total]).toEqual([search, { count: expected.length, isExact: true }]);
        }
      }
    }

    const drawSearches = (count: number) =>
      Array.from({ length: count / share }, () => newSearch(rows));

    test('finds what a filter in memory finds, whatever letters name and text have', async () => {
      await compare([...operators, ...others, ...pluginIds, ...pieces, ...drawSearches(200)]);
    });

    test('holds together with every filter and order', async () => {
      for (const search of ['acme', '00', 'example', pluginIds[1] ?? '', ...drawSearches(5)]) {
        const [pluginId = ''] = pluginIds;
        const expected = filter(
          rows.filter((row) => row.pluginId === pluginId),
          search,
        );
        for (const sort of ['broken', 'host', 'began', 'expiry', 'event'] as const) {
          for (const bounds of [undefined, tight]) {
            expect(await find({ search, pluginId, sort, group: 'pending' }, bounds)).toEqual(
              expected,
            );
          }
          expect(await find({ search, sort, group: 'broken' }, tight)).toEqual([]);
        }
      }
    });

    test('one page has all rows of a plug-in with few, wherever they are in the order', async () => {
      const [largest = ''] = pluginIds;
      const expected = rows.filter((row) => row.pluginId === largest).length;
      const bounds = { maxSorted: expected, maxWalked: 1 };
      const query = { ...reason, pluginId: largest, limit: 200 };

      const page = await findFleetPage(engine.db, query, bounds);

      expect(page).toMatchObject({ isSearching: false });
      const walked = { ...bounds, maxSorted: expected - 1 };
      expect(await findFleetPage(engine.db, query, walked)).toMatchObject({ isSearching: true });
    });

    test('a total above the limit is "more than", and exact below it', async () => {
      const query = { ...reason, search: 'example' };
      const all = filter(rows, 'example').length;
      const ofPlugin = { ...query, pluginId: pluginIds[0] };
      const most = { maxSorted: 20 };

      expect(await countFleetMatches(engine.db, query)).toEqual({ count: all, isExact: true });
      for (const each of [query, ofPlugin]) {
        const capped = { count: 20, isExact: false };
        expect(await countFleetMatches(engine.db, each, most)).toEqual(capped);
      }
      const none = { ...ofPlugin, state: 'uninstalled' as const };
      expect(await countFleetMatches(engine.db, none, most)).toEqual({ count: 0, isExact: true });
    });

    test('renames, uninstalls and purges are found, or not, at once', async () => {
      for (const [index, row] of rows.entries()) {
        if (index % 3 === 0) {
          row.name = newName();
          await store.operators.describe(row.id, { name: row.name });
        }
        if (index % 5 === 0) await store.operators.describe(row.id, { notes: 'acme ACME' });
        if (index % 2 === 0) {
          const { tenantId, pluginId, host } = row;
          await store.installations.uninstall(
            { issuer: `https://${host}`, tenantId, pluginId },
            1_000_000,
          );
        }
      }
      await compare(drawSearches(40));
      for (const row of rows.splice(0)) {
        const isPurged = await store.operators.purge(row.id, 0);
        if (!isPurged) rows.push(row);
      }

      expect(rows).toHaveLength(rowCount / 2);
      await compare(drawSearches(60));
    });

    test('an uninstall that comes first can be found, and its purge in maintenance removes it', async () => {
      const { host, ...key } = newKey();
      const first = await store.installations.uninstall(key, 5);
      const search = key.tenantId;
      expect(await find({ search })).toEqual([first.id]);
      await store.installations.uninstall(key, 6);
      expect(await find({ search: host })).toEqual([first.id]);

      await database.execute('update installations set ended_at = 1 where generation = 0');
      await database.execute("update maintenance set due_at = 0 where name = 'retention'");
      await store.maintain({ now: Date.now(), historyDays: 30 });

      expect(await find({ search })).toEqual([]);
    });

    test.skipIf(engineName !== 'SQLite')(
      'no name of a purged installation stays in the file',
      async () => {
        const { host, ...key } = newKey();
        const { id } = await store.installations.begin(key, 1, now);
        await store.operators.describe(id, { name: 'жцш' });
        await store.operators.describe(id, { name: 'ыфъ' });
        expect(await find({ search: 'ЫФЪ' })).toEqual([id]);
        expect(await find({ search: 'жцш' })).toEqual([]);
        await store.installations.uninstall(key, 1_000_000);
        await store.operators.purge(id, 0);

        const bytes = await readWholeFile(database);
        expect(bytes.includes('ыфъ')).toBe(false);
        expect(bytes.includes('жцш')).toBe(false);
        expect(bytes.includes(host)).toBe(false);
      },
    );
  });
}

/** Without the write-ahead log, which a checkpoint empties. */
async function readWholeFile({ location }: TestDatabase): Promise<Buffer> {
  const path = 'path' in location ? location.path : '';
  const raw = new DatabaseSync(path);
  raw.exec('pragma wal_checkpoint(truncate)');
  raw.close();
  return Buffer.concat([await readFile(path), await readFile(`${path}-wal`)]);
}
