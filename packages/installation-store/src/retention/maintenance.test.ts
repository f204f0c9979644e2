/** Which rows are deleted and when, on each kind of database. Why: docs/decisions/0014-tombstones-and-retention.md. */

import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeInstallation } from '../testing/describe-installation.ts';
import {
  createMaintenanceWorld,
  dayMs,
  eventOf,
  historyDays,
  key,
  type MaintenanceWorld,
  minuteMs,
} from '../testing/maintenance-world.ts';
import { testDatabases } from '../testing/test-databases.ts';

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`maintenance on ${name}`, () => {
    let world: MaintenanceWorld;

    beforeEach(async () => {
      world = await createMaintenanceWorld(create);
    });

    afterEach(() => world.database.destroy());

    test('a refused install leaves the lists seven days after its end, and its counts follow', async () => {
      const { store, now, maintain, begin, uninstall } = world;
      const installation = await begin();
      const refusal = { ...eventOf(installation.id, now), status: 402, reason: 'scope_missing' };
      await store.events.recordEvent(refusal);
      await uninstall(installation, 2);
      const countsOf = async () => (await store.reports.countFleet(now)).states;

      expect(await maintain(now + 6 * dayMs)).toMatchObject({ refusedInstalls: 0 });
      expect(await countsOf()).toMatchObject({ install_refused: 1, uninstalled: 0 });
      expect(await maintain(now + 8 * dayMs)).toMatchObject({ refusedInstalls: 1 });
      expect(await countsOf()).toMatchObject({ install_refused: 0, uninstalled: 1 });
      const [outage] = (await store.reports.describe(installation.id))?.outages ?? [];
      expect(outage?.endedBy).toBe('uninstall');
    });

    test('counts that differ from the rows are repaired once a day, and only the difference is written', async () => {
      const { store, database, now, maintain, begin } = world;
      await begin();
      await maintain(now);
      await database.execute(
        `insert into condition_counts (condition, cause, n) values ('healthy', null, 5), ('pending', null, -3)`,
      );

      expect(await maintain(now + 23 * 60 * minuteMs)).toMatchObject({ repairedCounts: [] });
      const report = await maintain(now + 25 * 60 * minuteMs);
      expect(new Set(report?.repairedCounts)).toEqual(
        new Set([
          { condition: 'healthy', cause: null, n: -5 },
          { condition: 'pending', cause: null, n: 3 },
        ]),
      );
      expect(await store.reports.countConditions()).toEqual([
        { condition: 'pending', cause: null, n: 1 },
      ]);
      expect(await maintain(now + 50 * 60 * minuteMs)).toMatchObject({ repairedCounts: [] });
    });

    test('an installation that breaks again and again keeps its newest hundred outages', async () => {
      const { store, database, now, begin, count } = world;
      const installation = await begin();
      const { id } = installation;
      const old = Array.from(
        { length: 150 },
        (_, index) => `('${id}', 1, 'why', ${index}, ${index})`,
      );
      await database.execute(`insert into outages
        (installation_id, generation, cause, began_at, ended_at) values ${old.join()}`);

      const refusal = { ...eventOf(id, now), status: 402, reason: 'scope_missing' };
      await store.events.recordEvent(refusal);
      await world.uninstall(installation, 2);

      expect(await count('outages')).toBe(100);
      expect((await store.reports.describe(id))?.outages[0]?.cause).toBe('scope_missing');
    });

    describe('history', () => {
      test('is kept for the requested days, to the millisecond', async () => {
        const { store, now, maintain, begin, recordEvent, recordOperation } = world;
        const { id } = await begin();
        for (const at of [now, now + 1, now + 2]) {
          await recordEvent(id, at);
          await recordOperation(id, at);
        }

        expect(await maintain(now + 1 + historyDays * dayMs)).toMatchObject({
          deleted: { events: 1, token_operations: 1 },
        });
        expect((await describeInstallation(store, id))?.events).toMatchObject([
          { receivedAt: now + 2 },
          { receivedAt: now + 1 },
        ]);
      });

      test('with a date from a clock that ran ahead does not block later entries', async () => {
        const { now, maintain, begin, insertEvents, recordEvent, recordOperation, count } = world;
        const { id } = await begin();
        await insertEvents(id, 600, now + 400 * dayMs);
        await recordOperation(id, now + 400 * dayMs);
        for (const at of [now - 31 * dayMs, now + dayMs / 2]) {
          await recordEvent(id, at);
          await recordOperation(id, at);
        }

        expect(await maintain(now)).toMatchObject({
          deleted: { events: 601, token_operations: 2 },
        });
        expect([await count('events'), await count('token_operations')]).toEqual([1, 1]);
      });

      test('of one noisy installation is limited to about a thousand entries, and others are not affected', async () => {
        const { store, now, begin, recordEvent, recordEvents, insertEvents, count } = world;
        const quiet = await store.installations.begin({ ...key, pluginId: key.tenantId }, 1, now);
        await recordEvent(quiet.id, now);
        const { id } = await begin();
        await insertEvents(id, 3_000);

        await recordEvents(Array.from({ length: 400 }, (_, index) => eventOf(id, now + index)));

        expect(await count(`events where installation_id = '${id}'`)).toBeLessThan(1_100);
        expect((await describeInstallation(store, quiet.id))?.events).toHaveLength(1);
        const newest = (await describeInstallation(store, id))?.events ?? [];
        expect(newest.slice(0, 200).map(({ receivedAt }) => receivedAt)).toEqual(
          Array.from({ length: 200 }, (_, index) => now + 399 - index),
        );
      });

      test('of token operations has the same limit', async () => {
        const { store, begin, count } = world;
        const { id } = await begin();
        await store.transaction(async ({ events }) => {
          for (let entry = 0; entry < 1_300; entry += 1) {
            await events.recordTokenOperation({
              installationId: id,
              operation: 'trigger',
              startedAt: entry,
              durationMs: 1,
              succeeded: false,
              tokenVersion: null,
              reason: 'no_trigger_event',
            });
          }
        });

        const kept = await count('token_operations');
        expect(kept).toBeGreaterThanOrEqual(1_000);
        expect(kept).toBeLessThan(1_100);
      });

      test('is cut however the ids of several installations interleave', async () => {
        const { store, now, recordEvents, insertEvents, count } = world;
        const ids = await Promise.all(
          Array.from({ length: 4 }, async () => {
            const other = { ...key, tenantId: crypto.randomUUID() };
            return (await store.installations.begin(other, 1, now)).id;
          }),
        );
        for (const id of ids) await insertEvents(id, 1_000);

        await recordEvents(
          Array.from({ length: 1_000 }, (_, index) => eventOf(ids[index % 4] ?? '', now)),
        );

        for (const id of ids) {
          expect(await count(`events where installation_id = '${id}'`)).toBeLessThan(1_130);
        }
      });
    });

    test('C09: the answer to an event is kept for seven days', async () => {
      const { store, now, maintain, begin } = world;
      const inboxKey = { installationId: (await begin()).id, digest: 'd' };
      await store.inbox.decide(inboxKey, { status: 201, reason: null }, now);

      await maintain(now + 7 * dayMs);
      expect(await store.inbox.findVerdict(inboxKey)).toEqual({ status: 201, reason: null });

      expect(await maintain(now + 7 * dayMs + 11 * minuteMs)).toMatchObject({
        deleted: { inbox: 1 },
      });
      expect(await store.inbox.findVerdict(inboxKey)).toBeUndefined();
    });

    test('G01: an init JWT is recorded for as long as it could open a second session', async () => {
      const { now, maintain, begin, createSession } = world;
      const { id } = await begin();
      await createSession(id, { initJti: 'jti', expiresAt: now + 15 * minuteMs });

      await maintain(now + 70 * minuteMs);
      const again = { initJti: 'jti', expiresAt: now + 85 * minuteMs };
      expect(await createSession(id, again)).toBe('replayed');

      expect(await maintain(now + 81 * minuteMs)).toMatchObject({
        deleted: { plugin_sessions: 1 },
      });
    });

    test('the change log keeps its newest rows', async () => {
      const { database, now, maintain, count } = world;
      const row = "('i', 0, 'o')";
      await database.execute(
        `insert into changes (installation_id, of_tokens, origin) values ${Array(10_700).fill(row).join(', ')}`,
      );
      expect(await count('changes')).toBe(10_700);

      expect(await maintain(now)).toMatchObject({ deleted: { changes: 700 } });
      expect(await count('changes')).toBe(10_000);
    });

    describe('of the log of calls', () => {
      const numbers = (count: number) => `(with recursive counted (i) as
        (select 1 union all select i + 1 from counted where i < ${count}) select i from counted) as n`;
      /** Failures of every installation. Each is older than the one before it. */
      const insertCalls = ({ database, now }: MaintenanceWorld, count: number) =>
        database.execute(`insert into call_log
          (id, installation_id, at, first_at, n, method, path, reason, duration_ms, attempts)
          select installations.id || '-' || i, installations.id,
            ${now} - row_number() over (order by i), 0, 1, 'GET', '/', 'timed_out', 1, 1
          from installations, ${numbers(count)}`);

      test('1,000 rows of an installation are kept', async () => {
        const { now, maintain, count, begin, database } = world;
        await begin();
        await insertCalls(world, 1_700);

        expect(await maintain(now)).toMatchObject({ deleted: { call_log: 700 } });
        expect(await count('call_log')).toBe(1_000);
        const [oldest] = await database.execute('select min(at) as at from call_log');
        expect(Number(oldest?.at)).toBe(now - 1_000);
      });

      test('100,000 failures of all are kept', async () => {
        const { now, store, maintain, count } = world;
        for (let each = 0; each < 101; each += 1) {
          await store.installations.begin({ ...key, tenantId: randomUUID() }, 1, now);
        }
        await insertCalls(world, 1_000);

        expect(await maintain(now)).toMatchObject({ deleted: { call_log: 1_000 } });
        expect(await count('call_log')).toBe(100_000);
      });
    });

    describe('its schedule', () => {
      test('is done by one of several stores that ask at once', async () => {
        const { store, database, now, begin, insertEvents } = world;
        const others = await Promise.all([database.open(), database.open()]);
        const { id } = await begin();
        await insertEvents(id, 1_200);

        const reports = await Promise.all(
          [store, ...others].map((each) => each.maintain({ now, historyDays })),
        );

        expect(reports.filter((report) => report !== undefined)).toMatchObject([
          { deleted: { events: 1_200 } },
        ]);
      });

      test('is due again after ten minutes', async () => {
        const { now, maintain } = world;
        expect(await maintain(now)).toBeDefined();
        expect(await maintain(now + 10 * minuteMs - 1)).toBeUndefined();
        expect(await maintain(now + 10 * minuteMs)).toBeDefined();
      });

      test('is due after a clock was set back', async () => {
        const { now, maintain } = world;
        await maintain(now + dayMs);

        expect(await maintain(now)).toBeDefined();
      });
    });

    test('a request does not wait until all batches are done', async () => {
      const { now, maintain, begin, recordEvent, insertEvents, count } = world;
      const { id } = await begin();
      await insertEvents(id, 5_000);
      const finished: string[] = [];

      await Promise.all([
        maintain(now).then(() => finished.push('maintenance')),
        recordEvent(id, now).then(() => finished.push('request')),
      ]);

      expect(finished).toEqual(['request', 'maintenance']);
      expect(await count('events')).toBe(1);
    });

    test('it ends after the current batch when its signal is aborted', async () => {
      const { store, now, begin, insertEvents } = world;
      const { id } = await begin();
      await insertEvents(id, 1_200);
      const stopping = new AbortController();

      const maintained = store.maintain({ now, historyDays, signal: stopping.signal });
      stopping.abort();

      expect((await maintained)?.deleted.events).toBeLessThanOrEqual(500);
    });
  });
}
