/** What is deleted when, on each kind of database. Why: docs/decisions/0014-tombstones-and-retention.md. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventEntry, Installation, Store } from './store.ts';
import { type TestDatabase, testDatabases } from './testing/test-databases.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const historyDays = 30;
const key = {
  issuer: 'https://acme.example.com',
  tenantId: 'd290f1ee-6c54-4b01-90e6-d701748f0851',
  pluginId: '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de',
};

const eventOf = (installationId: string, receivedAt: number): EventEntry => ({
  installationId,
  event: 'access_token',
  receivedAt,
  durationMs: 1,
  status: 201,
  reason: null,
});

describe.each(testDatabases)('maintenance on $name', ({ isAvailable, create }) => {
  describe.skipIf(!isAvailable)('', () => {
    let database: TestDatabase;
    let store: Store;
    let now: number;

    beforeEach(async () => {
      database = await create();
      store = await database.open();
      now = Date.now();
    });

    afterEach(() => database.destroy());

    const maintain = (at: number) => store.maintain({ now: at, historyDays });
    const begin = (iat = 1) => store.installations.begin(key, iat, now);

    function uninstall(installation: Installation, iat: number): Promise<void> {
      return store.transaction(({ installations }) => installations.uninstall(installation, iat));
    }

    const recordEvent = (installationId: string, receivedAt: number) =>
      store.events.recordEvent(eventOf(installationId, receivedAt));

    const recordEvents = (entries: EventEntry[]) =>
      store.transaction(async ({ events }) => {
        for (const entry of entries) await events.recordEvent(entry);
      });

    const recordOperation = (installationId: string, startedAt: number) =>
      store.events.recordTokenOperation({
        installationId,
        operation: 'refresh',
        startedAt,
        durationMs: 1,
        succeeded: true,
        tokenVersion: 1,
        reason: null,
      });

    const createSession = (installationId: string, initJti: string, expiresAt: number) =>
      store.sessions.createPluginSession(
        `hash of ${initJti}`,
        { installationId, generation: 1, userId: 'u', instanceId: 'i', expiresAt },
        initJti,
      );

    async function count(table: string): Promise<number> {
      const [row] = await database.execute(`select count(*) as count from ${table}`);
      return Number(row?.count);
    }

    /** Many entries of one installation at once, old unless told otherwise. */
    async function insertEvents(
      installationId: string,
      entries: number,
      receivedAt = 1,
    ): Promise<void> {
      const rows = Array(entries)
        .fill(`('${installationId}', 'access_token', ${receivedAt}, 1, 201)`)
        .join(', ');
      await database.execute(
        `insert into events (installation_id, event, received_at, duration_ms, status) values ${rows}`,
      );
    }

    describe('a tombstone', () => {
      test('C09: refuses what was captured before the uninstall, for thirty days', async () => {
        const { id } = await begin();
        await uninstall(await begin(), 300);

        await maintain(now + 30 * dayMs - minuteMs);

        expect(await store.installations.find(key)).toMatchObject({ id, endedIat: 300 });
      });

      test('goes after thirty days, with all that refers to it', async () => {
        const installation = await begin();
        const { id } = installation;
        await store.installations.addInstance(id, 'i-1');
        await recordEvent(id, now + 31 * dayMs);
        await recordOperation(id, now + 31 * dayMs);
        await store.inbox.decide(
          { installationId: id, digest: 'd' },
          { status: 201, reason: null },
          now + 31 * dayMs,
        );
        await uninstall(installation, 300);

        const report = await maintain(Date.now() + 30 * dayMs + 1);

        expect(report).toMatchObject({ installations: 1 });
        expect(await store.installations.find(key)).toBeUndefined();
        expect(await database.dump()).not.toContain(id);
      });

      test('goes in batches when much refers to it', async () => {
        const installation = await begin();
        await insertEvents(installation.id, 1_100, now);
        await uninstall(installation, 300);

        await store.maintain({ now: now + 31 * dayMs, historyDays: 3_650 });

        expect([await count('events'), await count('installations')]).toEqual([0, 0]);
      });

      test('that was installed again within the window stays, with its history', async () => {
        const installation = await begin();
        await store.installations.addInstance(installation.id, 'i-1');
        await recordEvent(installation.id, now + 20 * dayMs);
        await uninstall(installation, 300);
        await begin(400);

        expect(await maintain(now + 45 * dayMs)).toMatchObject({ installations: 0 });
        expect(await store.installations.find(key)).toMatchObject({
          id: installation.id,
          generation: 2,
        });
        expect(await store.reports.describeInstallation(installation.id)).toMatchObject({
          instanceIds: ['i-1'],
          events: [{ event: 'access_token' }],
        });
      });

      test('counts its days from the last uninstall', async () => {
        await uninstall(await begin(), 300);
        await uninstall(await begin(400), 500);
        await database.shiftClock(20 * dayMs);
        await uninstall(await begin(600), 700);

        expect(await maintain(now + 49 * dayMs)).toMatchObject({ installations: 0 });
        expect(await maintain(now + 51 * dayMs)).toMatchObject({ installations: 1 });
      });

      test('does not stand in the way of an install that comes while it is purged', async () => {
        const other = await database.open();
        for (let round = 0; round < 8; round += 1) {
          const at = now + 31 * dayMs + round * 10 * minuteMs;
          await uninstall(await begin(300), 300);

          await Promise.all([
            maintain(at),
            other.transaction(({ installations }) => installations.begin(key, 400, at)),
          ]);

          expect(await store.installations.find(key)).toMatchObject({ status: 'pending' });
        }
      });

      test('C10: an uninstall that looked before the re-install ends no newer life', async () => {
        const before = await begin();
        await uninstall(before, 300);
        await begin(400);

        await uninstall(before, 500);

        expect(await store.installations.find(key)).toMatchObject({
          generation: 2,
          status: 'pending',
          endedIat: 300,
        });
      });

      test('an install that undoes it finds identity, instances and count of lives, and no secret', async () => {
        const first = await begin();
        await store.installations.addInstance(first.id, 'i-1');
        await createSession(first.id, 'jti', now + dayMs);
        await uninstall(first, 300);

        const again = await begin(400);

        expect(again).toMatchObject({
          id: first.id,
          generation: 2,
          status: 'pending',
          baseUrl: null,
        });
        expect(await count('plugin_sessions')).toBe(0);
        const found = await store.installations.findByInstance(key.issuer, key.tenantId, 'i-1');
        expect(found?.id).toBe(first.id);
      });

      test('its instances lead nobody to it while it is one', async () => {
        const gone = await begin();
        await store.installations.addInstance(gone.id, 'i-1');
        await uninstall(gone, 300);
        const find = () => store.installations.findByInstance(key.issuer, key.tenantId, 'i-1');
        expect(await find()).toBeUndefined();

        const live = await store.installations.begin({ ...key, pluginId: key.tenantId }, 1, now);
        expect((await find())?.id).toBe(live.id);
        await store.installations.begin({ ...key, pluginId: crypto.randomUUID() }, 1, now);
        expect(await find()).toBeUndefined();
      });
    });

    describe('history', () => {
      test('is kept for the days that are asked for, to the millisecond', async () => {
        const { id } = await begin();
        for (const at of [now, now + 1, now + 2]) {
          await recordEvent(id, at);
          await recordOperation(id, at);
        }

        expect(await maintain(now + 1 + historyDays * dayMs)).toMatchObject({
          events: 1,
          tokenOperations: 1,
        });
        expect((await store.reports.describeInstallation(id))?.events).toMatchObject([
          { receivedAt: now + 2 },
          { receivedAt: now + 1 },
        ]);
      });

      test('of one noisy installation ends at about a thousand entries, and is its own', async () => {
        const quiet = await store.installations.begin({ ...key, pluginId: key.tenantId }, 1, now);
        await recordEvent(quiet.id, now);
        const { id } = await begin();
        await insertEvents(id, 3_000);

        await recordEvents(Array.from({ length: 400 }, (_, index) => eventOf(id, now + index)));

        expect(await count(`events where installation_id = '${id}'`)).toBeLessThan(1_100);
        expect((await store.reports.describeInstallation(quiet.id))?.events).toHaveLength(1);
        const newest = (await store.reports.describeInstallation(id))?.events ?? [];
        expect(newest.map(({ receivedAt }) => receivedAt)).toEqual(
          Array.from({ length: 200 }, (_, index) => now + 399 - index),
        );
      });

      test('of token operations ends there too', async () => {
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

    test('C09: the memory of an event lasts seven days', async () => {
      const inboxKey = { installationId: (await begin()).id, digest: 'd' };
      await store.inbox.decide(inboxKey, { status: 201, reason: null }, now);

      await maintain(now + 7 * dayMs);
      expect(await store.inbox.findVerdict(inboxKey)).toEqual({ status: 201, reason: null });

      expect(await maintain(now + 7 * dayMs + 11 * minuteMs)).toMatchObject({ inboxEntries: 1 });
      expect(await store.inbox.findVerdict(inboxKey)).toBeUndefined();
    });

    test('G01: an init JWT is remembered for as long as it could open a second session', async () => {
      const { id } = await begin();
      await createSession(id, 'jti', now + 15 * minuteMs);

      await maintain(now + 70 * minuteMs);
      expect(await createSession(id, 'jti', now + 85 * minuteMs)).toBe(false);

      expect(await maintain(now + 81 * minuteMs)).toMatchObject({ pluginSessions: 1 });
    });

    test("an operator's session goes when it has expired", async () => {
      await store.sessions.createAdminSession('hash', now);
      await store.sessions.createAdminSession('other hash', now + 1);

      expect(await maintain(now)).toMatchObject({ adminSessions: 1 });
      expect(await store.sessions.findAdminSession('other hash', now)).toEqual({
        expiresAt: now + 1,
      });
    });

    describe('its schedule', () => {
      test('is shared: of several stores that ask at once one does it', async () => {
        const others = await Promise.all([database.open(), database.open()]);
        const { id } = await begin();
        await insertEvents(id, 1_200);

        const reports = await Promise.all(
          [store, ...others].map((each) => each.maintain({ now, historyDays })),
        );

        expect(reports.filter((report) => report !== undefined)).toMatchObject([{ events: 1_200 }]);
      });

      test('is due again after ten minutes', async () => {
        expect(await maintain(now)).toBeDefined();
        expect(await maintain(now + 10 * minuteMs - 1)).toBeUndefined();
        expect(await maintain(now + 10 * minuteMs)).toBeDefined();
      });

      test('is due after a clock was set back', async () => {
        await maintain(now + dayMs);

        expect(await maintain(now)).toBeDefined();
      });
    });

    test('a request does not wait until all batches are done', async () => {
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

    test('it ends after the batch under way when it is told to', async () => {
      const { id } = await begin();
      await insertEvents(id, 1_200);
      const stopping = new AbortController();

      const maintained = store.maintain({ now, historyDays, signal: stopping.signal });
      stopping.abort();

      expect((await maintained)?.events).toBeLessThanOrEqual(500);
    });
  });
});
