/** The list of the fleet, on each kind of database: compared with the same rows in memory. */
import {
  type Condition,
  conditionSchema,
  fleetSortSchema,
  groupOf,
  installationStateSchema,
  stateGroupSchema,
  stateOf,
  withoutAccessSince,
} from '@dowel/admin-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import type { Engine } from '../sql/database.ts';
import { searchTextOf } from '../sql/search-text.ts';
import type { Store } from '../store.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { type FleetListQuery, findFleetPage, type PageBounds } from './fleet-page.ts';

const rowCount = 3_000;
const now = 10_000_000;
const pluginIds = ['aaaa0000-plugin', 'bbbb0000-plugin'] as const;

interface Row {
  id: string;
  issuer: string;
  tenantId: string;
  pluginId: string;
  condition: Condition;
  cause: string | null;
  latestFailure: string | null;
  accessEndsAt: number | null;
  tokenExpiresAt: number | null;
  lastEventAt: number | null;
  beganAt: number;
  scopes: string;
}

/** What the broken ones without a cause are counted as. */
const causeNames = ['no_tokens', 'unreachable', 'other'];
const causes = ['scope_missing', 'invalid_grant', 'invalid_grant'] as const;

/** Most are healthy; one in 8 is of any condition. Times repeat, so that the id decides. */
function rowOf(index: number): Row {
  const conditions = conditionSchema.options;
  const condition = index % 8 === 0 ? (conditions[(index / 8) % 8] ?? 'healthy') : 'healthy';
  const isInTrouble = ['awaiting', 'failing', 'calls_failing', 'pending', 'refused'].includes(
    condition,
  );
  const hex = index.toString(16).padStart(6, '0');
  return {
    id: `${hex}-id`,
    issuer: `https://${index % 3 === 0 ? 'acme' : 'other_x'}-${hex}.example.com`,
    tenantId: `f${hex}-tenant`,
    pluginId: index % 5 === 0 ? pluginIds[1] : pluginIds[0],
    condition,
    cause: isInTrouble && index % 5 > 0 ? (causes[index % 3] ?? null) : null,
    latestFailure: index % 11 === 0 ? 'scope_missing' : null,
    accessEndsAt: isInTrouble ? now - (index % 100) * 1_000 : null,
    tokenExpiresAt: index % 7 === 0 ? null : now - 500_000 + (index % 50) * 20_000,
    lastEventAt: index % 6 === 0 ? null : now - (index % 40) * 1_000,
    beganAt: now - (index % 200) * 2_000,
    scopes: index % 4 === 0 ? 'plugin:notify plugin:read' : 'plugin:notify',
  };
}

const allRows = Array.from({ length: rowCount }, (_, index) => rowOf(index));
const quote = (value: string | number | null) =>
  typeof value === 'string' ? `'${value}'` : String(value);

/** A broken one without a cause has a name, too. */
function nameOfCause(row: Row): string | null {
  const state = stateOf(row, now);
  if (row.cause !== null || groupOf(state) !== 'broken') return row.cause;
  return state === 'no_tokens' || state === 'unreachable' ? state : 'other';
}

const mayBeGranted = ({ condition, cause, latestFailure }: Row) =>
  !['uninstalled', 'refused'].includes(condition) &&
  cause !== 'scope_missing' &&
  latestFailure !== 'scope_missing';

type Query = Partial<Omit<FleetListQuery, 'now'>>;

/** What the list must hold, by reading every row. */
function expected({ group, state, cause, minAgeMs, maxAgeMs, scope, pluginId, search }: Query) {
  return allRows.filter((row) => {
    const actual = stateOf(row, now);
    const since = withoutAccessSince(row, now);
    const age = since === null ? undefined : now - since;
    const text = `${row.issuer} ${row.tenantId} ${row.id}`;
    return (
      (group === undefined || groupOf(actual) === group) &&
      (state === undefined || actual === state) &&
      (cause === undefined || nameOfCause(row) === cause) &&
      (minAgeMs === undefined || (age !== undefined && age >= minAgeMs)) &&
      (maxAgeMs === undefined || (age !== undefined && age <= maxAgeMs)) &&
      (scope === undefined || (row.scopes.split(' ').includes(scope) && mayBeGranted(row))) &&
      (pluginId === undefined || row.pluginId === pluginId) &&
      (search === undefined || text.includes(search) || row.pluginId.includes(search))
    );
  });
}

const keys = {
  broken: (row: Row) => row.accessEndsAt,
  host: (row: Row) => row.issuer,
  began: (row: Row) => row.beganAt,
  expiry: (row: Row) => row.tokenExpiresAt,
  event: (row: Row) => row.lastEventAt,
};

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`the fleet on ${name}`, () => {
    let database: TestDatabase;
    let store: Store;
    let engine: Engine;

    beforeAll(async () => {
      database = await create();
      store = await database.open();
      engine = await openEngine(database.location);
      for (let from = 0; from < rowCount; from += 500) {
        const values = allRows.slice(from, from + 500).map((row) => {
          const { id, issuer, tenantId, pluginId, condition, cause, accessEndsAt } = row;
          const { tokenExpiresAt, lastEventAt, beganAt, scopes, latestFailure } = row;
          const columns = [id, issuer, tenantId, pluginId, 'active', 1, 1, 1, beganAt, condition];
          const others = [cause, accessEndsAt, tokenExpiresAt, lastEventAt, scopes, latestFailure];
          const text = searchTextOf({ ...row, name: '' });
          return `(${[...columns, ...others, text].map(quote).join(', ')})`;
        });
        await database.execute(`insert into installations (id, issuer, tenant_id, plugin_id, status,
          generation, token_version, began_iat, created_at, condition, cause, unhealthy_since,
          token_expires_at, last_event_at, granted_scopes, error_reason, search_text) values ${values.join(', ')}`);
      }
      await database.execute(`insert into condition_counts (condition, cause, n)
        select condition, cause, count(*) from installations group by condition, cause`);
    });

    afterAll(async () => {
      await engine.close();
      await database.destroy();
    });

    async function turnPages(query: Query, bounds?: PageBounds): Promise<string[]> {
      const ids: string[] = [];
      let after: string | undefined;
      do {
        const asked = { limit: 100, sort: 'began' as const, ...query, now, after };
        const page = await findFleetPage(engine.db, asked, bounds);
        ids.push(...page.ids);
        after = page.next ?? undefined;
      } while (after !== undefined);
      return ids;
    }

    const filters: Query[] = [
      {},
      ...stateGroupSchema.options.map((group) => ({ group })),
      ...installationStateSchema.options.map((state) => ({ state })),
      { cause: 'scope_missing' },
      ...causeNames.map((cause) => ({ cause })),
      { group: 'broken', cause: 'no_tokens', search: 'acme' },
      { group: 'broken', cause: 'invalid_grant', minAgeMs: 50_000 },
      { maxAgeMs: 10_000 },
      { scope: 'plugin:read' },
      { scope: 'plugin:notify', group: 'broken' },
      { pluginId: pluginIds[1] },
      { search: 'acme' },
      { search: '00a2' },
      { search: 'other_x-0001' },
      { search: 'bbbb0' },
      { search: 'acme', group: 'broken' },
      { search: '%' },
    ];

    test.each(filters)(
      'the pages of the filter %o hold its installations, each once',
      async (filter) => {
        const wanted = filter.search === '%' ? [] : expected(filter).map(({ id }) => id);

        for (const bounds of [undefined, { maxSorted: 10, maxWalked: 300 }]) {
          const ids = await turnPages(filter, bounds);
          expect(ids.toSorted()).toEqual(wanted.toSorted());
        }
      },
    );

    test.each(
      fleetSortSchema.options.flatMap((sort) => [{ sort }, { sort, group: 'broken' as const }]),
    )('the order %o is kept over all pages, and rows without a value stand last', async (query) => {
      const rowById = new Map(allRows.map((row) => [row.id, row]));
      for (const direction of ['asc', 'desc'] as const) {
        const ids = await turnPages({ ...query, direction });

        const found = ids.map((id) => keys[query.sort](rowById.get(id) as Row));
        const values = found.filter((value) => value !== null);
        expect(ids).toHaveLength(expected(query).length);
        expect(found.slice(0, values.length)).toEqual(values);
        const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
        expect(values).toEqual(direction === 'asc' ? sorted : sorted.toReversed());
      }
    });

    test('one or two letters find what begins with them', async () => {
      const found = await turnPages({ search: 'f0' });

      expect(found.toSorted()).toEqual(allRows.map(({ id }) => id).toSorted());
      expect(await turnPages({ search: 'ac' })).toHaveLength(
        expected({ search: 'https://ac' }).length,
      );
      expect(await turnPages({ search: 'me' })).toEqual([]);
    });

    test('a walk that finds too little says that it is still searching', async () => {
      const query = { limit: 100, sort: 'began' as const, now, scope: 'no:such' };

      const page = await findFleetPage(engine.db, query, { maxSorted: 10, maxWalked: 300 });

      expect(page).toMatchObject({ ids: [], isSearching: true, next: expect.any(String) });
    });

    test('the counts are those of the lists', async () => {
      const { groups, states } = await store.reports.countFleet(now);

      for (const group of stateGroupSchema.options) {
        expect([group, groups[group]]).toEqual([group, expected({ group }).length]);
        const query = { limit: 1, sort: 'began' as const, now, group };
        const total = await store.reports.countMatches(query);
        expect(total).toEqual({ count: groups[group], isExact: true });
      }
      for (const state of installationStateSchema.options) {
        expect([state, states[state]]).toEqual([state, expected({ state }).length]);
      }
    });

    test('the counts of causes are exact, also after they were added up', async () => {
      const before = await store.reports.countFleet(now);
      await store.maintain({ now: Date.now(), historyDays: 30 });

      const after = await store.reports.countFleet(now);

      expect(after).toEqual(before);
      const names = ['invalid_grant', 'scope_missing', ...causeNames];
      const byName = new Map(after.causes.map(({ cause, count }) => [cause, count]));
      expect(byName).toEqual(new Map(names.map((cause) => [cause, expected({ cause }).length])));
      for (const cause of causeNames) {
        const total = await store.reports.countMatches({ limit: 1, sort: 'began', now, cause });
        expect([cause, total]).toEqual([cause, { count: byName.get(cause), isExact: true }]);
        expect(total?.count).toBeGreaterThan(0);
      }
      expect(after.causes).toEqual(after.causes.toSorted((a, b) => b.count - a.count));
      const rows = await database.execute('select count(*) as n from condition_counts');
      expect(Number(rows[0]?.n)).toBe((await store.reports.countConditions()).length);
    });

    test('the plug-ins of the filter are those that installations have', async () => {
      expect(await store.reports.listPluginIds()).toEqual(pluginIds);
    });

    test('a cursor of another list is refused', async () => {
      const query = { limit: 5, sort: 'began' as const, now };
      const { next } = await findFleetPage(engine.db, query);

      for (const after of ['', 'x', '9.x', '0.x', next ?? '']) {
        await expect(
          store.reports.listFleet({ ...query, sort: 'host', after }),
        ).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
      }
    });

    test.each([
      'null',
      '["1", "x"]',
      '[1e400, "x"]',
      '[1, "\\u0000"]',
      '["a", "b", "c"]',
      '[1, "a", "b"]',
      '{"length": 2}',
    ])('a cursor with the key %s is refused', async (key) => {
      const after = `0.${Buffer.from(key).toString('base64url')}`;

      await expect(
        store.reports.listFleet({ limit: 5, sort: 'began', now, after }),
      ).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    });
  });
}
