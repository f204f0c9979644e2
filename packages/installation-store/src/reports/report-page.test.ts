/** The list of installations, on each kind of database: which rows a page has, and by which index. */
import { installationStatusSchema } from '@dowel/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import type { Engine } from '../sql/database.ts';
import type { Store } from '../store.ts';
import { explain } from '../testing/explain.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { needsAttention, selectPage } from './report-page.ts';
import { selectEvents, selectSummaries } from './report-summary.ts';

/** So many that no planner prefers to read all of them. */
const rowCount = 6_000;
const statuses = installationStatusSchema.options;
const commonPluginId = uuidOf(999_999);
const issuerOf = (index: number) => `https://tenant-${index % 100}.example.com`;

function uuidOf(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

/** Ten of each millisecond; the first 4,000 of one plug-in, one in eight of them with an error. */
function rowOf(index: number): string {
  const pluginId = index < 4_000 ? commonPluginId : uuidOf(index);
  const status = index % 100 === 0 ? statuses[(index / 100) % 4] : 'active';
  const errorAt = index % 8 === 0 ? index : 'null';
  const createdAt = Math.floor(index / 10);
  return `('${uuidOf(index)}', '${issuerOf(index)}', '${uuidOf(index)}', '${pluginId}', '${status}', 1, 0, 1, ${createdAt}, 'why', ${errorAt})`;
}

const events = (index: number) =>
  `('${uuidOf(index)}', 'install', 1, 1, 201), ('${uuidOf(index)}', 'access_token', 2, 1, 201)`;

const instances = (index: number) => `('${uuidOf(index)}', 'a'), ('${uuidOf(index)}', 'b')`;

const grant = (index: number) =>
  `('${uuidOf(index)}', 1, 1, 'https://a', 'client', '${'s'.repeat(80)}', 'token', '${'s'.repeat(1_000)}', 'a b', 1)`;

async function insertAll(database: TestDatabase, into: string, row: (index: number) => string) {
  for (let from = 0; from < rowCount; from += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, index) => row(from + index));
    await database.execute(`insert into ${into} values ${rows.join(', ')}`);
  }
}

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`the list on ${name}`, () => {
    let database: TestDatabase;
    let store: Store;
    let engine: Engine;

    beforeAll(async () => {
      database = await create();
      store = await database.open();
      engine = await openEngine(database.location);
      await insertAll(
        database,
        'installations (id, issuer, tenant_id, plugin_id, status, generation, token_version, began_iat, created_at, error_reason, error_at)',
        rowOf,
      );
      await insertAll(
        database,
        'events (installation_id, event, received_at, duration_ms, status)',
        events,
      );
      await insertAll(database, 'instances (installation_id, instance_id)', instances);
      await insertAll(
        database,
        'grants (installation_id, generation, token_version, base_url, client_id, client_secret_sealed, token_endpoint_url, access_token_sealed, granted_scopes, issued_at)',
        grant,
      );
      await database.execute('analyze');
    });

    afterAll(async () => {
      await engine.close();
      await database.destroy();
    });

    type Query = Parameters<Store['reports']['listInstallations']>[0];

    /** All ids of all pages, in order. */
    async function turnPages(query: Query): Promise<{ ids: string[]; pages: number }> {
      const ids: string[] = [];
      let pages = 0;
      for (let after: string | null | undefined; after !== null; pages += 1) {
        const page = await store.reports.listInstallations({ ...query, after });
        ids.push(...page.installations.map(({ id }) => id));
        after = page.next;
      }
      return { ids, pages };
    }

    const idsWhere = (belongs: (index: number) => boolean) =>
      Array.from({ length: rowCount }, (_, index) => rowCount - 1 - index)
        .filter(belongs)
        .map(uuidOf);

    test('the pages together show each installation once, newest first', async () => {
      const { ids, pages } = await turnPages({ limit: 199 });

      expect(ids).toEqual(idsWhere(() => true));
      expect(pages).toBe(Math.ceil(rowCount / 199));
    });

    test('a list that ends with a full page has no next page', async () => {
      expect((await turnPages({ limit: 200 })).pages).toBe(rowCount / 200);
    });

    test('a page and the detail show the same summary', async () => {
      const { installations } = await store.reports.listInstallations({ limit: 3 });

      for (const summary of installations) {
        const report = await store.reports.describeInstallation(summary.id);
        expect(report?.installation).toEqual(summary);
        expect(summary.lastEvent?.event).toBe('access_token');
      }
    });

    test.each([...statuses, 'attention' as const])(
      'the filter %s lists exactly its installations',
      async (status) => {
        const { ids } = await turnPages({ limit: 100, status });

        const belongs = (index: number) => {
          const actual = index % 100 === 0 ? (statuses[(index / 100) % 4] ?? 'active') : 'active';
          const lastError = index % 8 === 0 ? {} : null;
          return status === 'attention'
            ? needsAttention({ status: actual, lastError })
            : actual === status;
        };
        expect(ids).toEqual(idsWhere(belongs));
      },
    );

    test('a search finds whole ids of tenants and plug-ins, in any letter case', async () => {
      const tenant = uuidOf(77).toUpperCase();
      expect((await turnPages({ limit: 10, search: tenant })).ids).toEqual([uuidOf(77)]);
      expect((await turnPages({ limit: 10, search: uuidOf(5_000) })).ids).toEqual([uuidOf(5_000)]);
      expect((await turnPages({ limit: 10, search: uuidOf(5_000).slice(0, -1) })).ids).toEqual([]);
      const { ids } = await turnPages({ limit: 150, search: commonPluginId });
      expect(ids).toEqual(idsWhere((index) => index < 4_000));
    });

    test.each([
      'tenant-42.',
      'https://tenant-42.example.com',
      'https://tenant-42.example.com/',
      'tenant-42.example.com/',
      'HTTPS://Tenant-42',
    ])('a search finds issuers by their beginning: %s', async (search) => {
      const { ids } = await turnPages({ limit: 7, search });

      expect(ids.toSorted().toReversed()).toEqual(idsWhere((index) => index % 100 === 42));
    });

    test.each(['%', '_', "'", 'enant-42', '\u{10ffff}'])(
      'a search for %s treats the text literally',
      async (search) => {
        expect((await turnPages({ limit: 7, search })).ids).toEqual([]);
      },
    );

    test('a search within one status reads a thousand rows per page, and finds all', async () => {
      const query = { limit: 5, search: commonPluginId, status: 'pending' } as const;
      const { ids, pages } = await turnPages(query);

      expect(ids).toEqual(idsWhere((index) => index < 4_000 && index % 400 === 0));
      expect(pages).toBe(5);
      const none = await turnPages({ ...query, search: 'tenant-1', status: 'uninstalled' });
      expect(none).toEqual({ ids: [], pages: 1 });
    });

    test.each([
      'nonsense',
      '',
      'null',
      'A'.repeat(2_000),
      Buffer.from('["1", "x"]').toString('base64url'),
      Buffer.from('[1e400, "x"]').toString('base64url'),
      Buffer.from('[1, "\\u0000"]').toString('base64url'),
      Buffer.from('["a", "b", "c"]').toString('base64url'),
      Buffer.from('[1, "a", "b"]').toString('base64url'),
      Buffer.from('{"length": 2}').toString('base64url'),
    ])('a cursor that is not from a page is refused: %s', async (after) => {
      await expect(store.reports.listInstallations({ limit: 5, after })).rejects.toMatchObject({
        code: 'CURSOR_INVALID',
      });
    });

    const cursor = Buffer.from(JSON.stringify([300, uuidOf(3_000)])).toString('base64url');

    test.each<[string, Query]>([
      ['installations_newest', { limit: 50 }],
      ['installations_newest', { limit: 50, after: cursor }],
      ['installations_status', { limit: 50, status: 'uninstalled', after: cursor }],
      ['installations_attention', { limit: 50, status: 'attention', after: cursor }],
      ['identity', { limit: 50, search: 'https://tenant-4' }],
    ])('a page is read with the index %s only, without sorting: %o', async (index, query) => {
      const plan = await explain(engine, selectPage(engine.db, query).compile());

      expect(plan).toContain(
        index === 'identity' && 'path' in database.location ? 'autoindex' : index,
      );
      expect(plan).not.toMatch(/Seq Scan|Bitmap|Sort|TEMP B-TREE|SCAN installations$/m);
    });

    test.each<[string, Query]>([
      ['installations_plugin', { limit: 50, search: uuidOf(5_000), after: cursor }],
      ['installations_tenant', { limit: 50, search: uuidOf(7), after: cursor }],
    ])('a search for an id reads %s, and sorts no more than two pages', async (index, query) => {
      const plan = await explain(engine, selectPage(engine.db, query).compile());

      expect(plan).toContain(index);
      expect(plan).not.toMatch(/Seq Scan|Bitmap|SCAN installations$/m);
    });

    test('the summaries of a page read no whole table', async () => {
      const ids = idsWhere((index) => index < 50);
      const plans = [
        await explain(engine, selectSummaries(engine.db, ids).compile()),
        await explain(engine, selectEvents(engine.db, [1, 2, 3]).compile()),
      ];

      expect(plans.join('\n')).not.toMatch(/Seq Scan|SCAN \w+$/m);
    });
  });
}
