/** Tombstones and their lifetime, on each kind of database. Why: docs/decisions/0014-tombstones-and-retention.md. */

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKeyring } from '../sealing/keyring.ts';
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
import { sqlite, testDatabases } from '../testing/test-databases.ts';

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`a tombstone on ${name}`, () => {
    let world: MaintenanceWorld;

    beforeEach(async () => {
      world = await createMaintenanceWorld(create);
    });

    afterEach(() => world.database.destroy());

    test('C09: refuses events that were captured before the uninstall, for thirty days', async () => {
      const { store, now, maintain, begin, uninstall } = world;
      const { id } = await begin();
      await uninstall(await begin(), 300);

      await maintain(now + 30 * dayMs - minuteMs);

      expect(await store.installations.find(key)).toMatchObject({ id, endedIat: 300 });
    });

    test('is deleted after thirty days, with all rows that refer to it', async () => {
      const { store, database, now, maintain, begin, uninstall, recordEvent, recordOperation } =
        world;
      const installation = await begin();
      const { id } = installation;
      await store.installations.addInstance(id, 'i-1', 1);
      await recordEvent(id, now + 31 * dayMs);
      await recordOperation(id, now + 31 * dayMs);
      await store.inbox.decide(
        { installationId: id, digest: 'd' },
        { status: 201, reason: null },
        now + 31 * dayMs,
      );
      await uninstall(installation, 300);

      const report = await maintain(Date.now() + 30 * dayMs + 1);

      expect(report).toMatchObject({ deleted: { installations: 1 } });
      expect(await store.installations.find(key)).toBeUndefined();
      // The change log announces to every process that it is gone, and contains nothing else about it.
      const told = await database.execute(
        `select of_tokens from changes where installation_id = '${id}'`,
      );
      expect(told.map((row) => Number(row.of_tokens))).toEqual([0]);
      await database.execute('delete from changes');
      expect(await database.dump()).not.toContain(id);
    });

    test('stays for as long as an operator keeps it', async () => {
      const { store, now, maintain, begin, uninstall } = world;
      const { id } = await begin();
      await uninstall(await begin(), 300);
      await store.operators.keepUntil(id, now + 100 * dayMs);

      await maintain(now + 99 * dayMs);
      expect(await store.installations.find(key)).toMatchObject({ id });

      await maintain(now + 101 * dayMs);
      expect(await store.installations.find(key)).toBeUndefined();
    });

    test('is deleted after a day only if nothing but the uninstall arrived', async () => {
      const { store, now, maintain, begin, uninstall } = world;
      const unseen = { ...key, tenantId: key.pluginId };
      await store.transaction(({ installations }) => installations.uninstall(unseen, 300));
      await uninstall(await begin(), 300);

      await maintain(now + dayMs - 2 * minuteMs);
      expect(await store.installations.find(unseen)).toMatchObject({ generation: 0 });

      expect(await maintain(now + dayMs + 10 * minuteMs)).toMatchObject({
        deleted: { installations: 1 },
      });
      expect(await store.installations.find(unseen)).toBeUndefined();
      expect(await store.installations.find(key)).toMatchObject({ status: 'uninstalled' });
    });

    test('is deleted in batches when many rows refer to it', async () => {
      const { now, maintain, begin, uninstall, insertEvents, count } = world;
      const installation = await begin();
      await insertEvents(installation.id, 1_100, now);
      await uninstall(installation, 300);

      await maintain(now + 31 * dayMs, 3_650);

      expect([await count('events'), await count('installations')]).toEqual([0, 0]);
    });

    test('is kept while its time has passed on only one of two clocks, the caller’s and the database’s', async () => {
      const { store, database, now, begin, uninstall } = world;
      await uninstall(await begin(), 300);
      const later = now + 31 * dayMs;

      expect(await store.maintain({ now: later, historyDays })).toMatchObject({
        deleted: { installations: 0 },
      });
      await database.shiftClock(31 * dayMs);
      await store.maintain({ now: now + 10 * minuteMs, historyDays });
      expect(await store.installations.find(key)).toBeDefined();

      expect(await store.maintain({ now: later, historyDays })).toMatchObject({
        deleted: { installations: 1 },
      });
    });

    test('is kept with its history after another install within thirty days', async () => {
      const { store, now, maintain, begin, uninstall, recordEvent } = world;
      const installation = await begin();
      await store.installations.addInstance(installation.id, 'i-1', 1);
      await recordEvent(installation.id, now + 20 * dayMs);
      await uninstall(installation, 300);
      await begin(400);

      expect(await maintain(now + 45 * dayMs)).toMatchObject({ deleted: { installations: 0 } });
      expect(await store.installations.find(key)).toMatchObject({
        id: installation.id,
        generation: 2,
      });
      expect(await describeInstallation(store, installation.id)).toMatchObject({
        instanceIds: ['i-1'],
        events: [{ event: 'access_token' }],
      });
    });

    test('counts its days from the last uninstall', async () => {
      const { database, now, maintain, begin, uninstall } = world;
      await uninstall(await begin(), 300);
      await uninstall(await begin(400), 500);
      await database.shiftClock(20 * dayMs);
      await uninstall(await begin(600), 700);

      expect(await maintain(now + 49 * dayMs)).toMatchObject({ deleted: { installations: 0 } });
      expect(await maintain(now + 51 * dayMs)).toMatchObject({ deleted: { installations: 1 } });
    });

    test('maintenance announces to every process what it purges, and the refused installs that it ends', async () => {
      const { database, store, now, begin, uninstall, maintain } = world;
      const installation = await begin();
      await store.events.recordEvent({
        ...eventOf(installation.id, now),
        status: 402,
        reason: 'x',
      });
      await uninstall(installation, 2);
      const other = await database.open();
      const heard = { here: new Set<string>(), there: new Set<string>() };
      store.onChange((id) => void heard.here.add(String(id)));
      other.onChange((id) => void heard.there.add(String(id)));
      const hears = async () => {
        const { id } = installation;
        await expect.poll(() => [heard.here.has(id), heard.there.has(id)]).toEqual([true, true]);
        for (const each of Object.values(heard)) each.clear();
      };

      expect(await maintain(now + 8 * dayMs)).toMatchObject({ refusedInstalls: 1 });
      await hears();

      expect(await maintain(now + 31 * dayMs)).toMatchObject({ deleted: { installations: 1 } });
      await hears();
    });

    test('does not prevent an install that arrives during its purge', async () => {
      const { store, database, now, maintain, begin, uninstall } = world;
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

    test('C10: an uninstall that was signed before the re-install ends no newer life', async () => {
      const { store, begin, uninstall } = world;
      const before = await begin();
      await uninstall(before, 300);
      await begin(400);

      await uninstall(before, 350);

      expect(await store.installations.find(key)).toMatchObject({
        generation: 2,
        status: 'pending',
        endedIat: 350,
      });
    });

    test('a later install finds identity, instances and number of lives, and no secret', async () => {
      const { store, now, begin, uninstall, createSession, count } = world;
      const first = await begin();
      await store.installations.addInstance(first.id, 'i-1', 1);
      await createSession(first.id, {
        initJti: 'jti',
        expiresAt: now + dayMs,
        instanceId: 'i-1',
      });
      expect(await count('plugin_sessions')).toBe(1);
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
      expect(found).toMatchObject({ outcome: 'found', installation: { id: first.id } });
    });

    test('its instances are not found', async () => {
      const { store, now, begin, uninstall } = world;
      const gone = await begin();
      await store.installations.addInstance(gone.id, 'i-1', 1);
      await uninstall(gone, 300);
      const find = () => store.installations.findByInstance(key.issuer, key.tenantId, 'i-1');
      expect(await find()).toEqual({ outcome: 'tenant_unknown' });

      const live = await store.installations.begin({ ...key, pluginId: key.tenantId }, 1, now);
      expect(await find()).toMatchObject({ installation: { id: live.id } });
      await store.installations.begin({ ...key, pluginId: crypto.randomUUID() }, 1, now);
      expect(await find()).toEqual({ outcome: 'instance_unknown' });
    });
  });
}

test('a tombstone of the first version counts its days from the event that made it', async () => {
  const database = await sqlite.createEmpty();
  const raw = new DatabaseSync((database.location as { path: string }).path);
  raw.exec(await readFile(new URL('../testing/schema-0001.sql', import.meta.url), 'utf8'));
  const endedIat = 1_700_000_000;
  raw.exec(`insert into installations (id, issuer, tenant_id, plugin_id, status, generation, token_version, began_iat, ended_iat, created_at)
    values ('tombstone', 'https://a.example', 't', 'p', 'uninstalled', 1, 1, 1, ${endedIat}, 1)`);
  raw.close();
  const store = await database.open({
    keyring: createKeyring(randomBytes(32), new Uint8Array(32).fill(7)),
  });
  const purgedAt = endedIat * 1_000 + 30 * dayMs;

  await store.maintain({ now: purgedAt, historyDays });
  expect(await store.installations.get('tombstone')).toMatchObject({ endedIat });

  await store.maintain({ now: purgedAt + 10 * minuteMs, historyDays });
  expect(await store.installations.get('tombstone')).toBeUndefined();
  await database.destroy();
});
