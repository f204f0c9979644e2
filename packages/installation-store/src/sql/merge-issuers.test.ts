/** How migration 0007 merges two spellings of one issuer. Why: docs/decisions/0018-one-issuer.md. */

import { Secret } from '@dowel/schema';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import { createKeyring } from '../sealing/keyring.ts';
import { placeOf, type SecretColumn } from '../sealing/sealed-columns.ts';
import type { Store } from '../store.ts';
import { describeInstallation } from '../testing/describe-installation.ts';
import { migrateTo } from '../testing/former-schema.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';

const issuer = 'https://acme.example.com';
const slashed = `${issuer}/`;
const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';

interface Former {
  id: string;
  tenantId: string;
  issuer: string;
  status: string;
  began?: number;
  ended?: number;
  /** `iat` of the event whose tokens are stored. */
  applied?: number;
  generation?: number;
}

for (const kind of testDatabases) {
  describe.skipIf(!kind.isAvailable)(`two spellings of an issuer on ${kind.name}`, () => {
    let database: TestDatabase;

    beforeEach(async () => {
      database = await kind.createEmpty();
      await migrateTo(database.location, '0006_key_uses');
    });

    afterEach(() => database.destroy());

    /** As the previous version stored it: sealed with the spelling of its events. */
    async function write(...rows: Former[]): Promise<void> {
      const keyring = createKeyring(database.encryptionKey);
      const engine = await openEngine(database.location);
      for (const row of rows) {
        const { id, tenantId, status, began = 1, generation = 1 } = row;
        const { ended = null, applied = null } = row;
        await sql`insert into installations (id, issuer, tenant_id, plugin_id, status, generation,
            token_version, began_iat, ended_iat, ended_at, applied_iat, created_at)
          values (${id}, ${row.issuer}, ${tenantId}, ${pluginId}, ${status}, ${generation}, 1,
            ${began}, ${ended}, ${status === 'uninstalled' ? 5 : null}, ${applied}, 1)`.execute(
          engine.db,
        );
        await sql`insert into events (installation_id, event, received_at, duration_ms, status)
          values (${id}, 'install', ${began}, 1, 201)`.execute(engine.db);
        await sql`insert into instances (installation_id, instance_id)
          values (${id}, ${`of ${id}`}), (${id}, 'of both')`.execute(engine.db);
        await sql`insert into inbox (installation_id, digest, received_at, status)
          values (${id}, ${`of ${id}`}, 1, 201), (${id}, 'of both', 1, 201)`.execute(engine.db);
        if (applied === null) continue;
        const seal = (column: SecretColumn, text: string) =>
          keyring.encrypt(new Secret(text), placeOf({ ...row, pluginId, generation }, column));
        await sql`insert into grants (installation_id, generation, token_version, base_url,
            client_id, client_secret_sealed, token_endpoint_url, access_token_sealed,
            refresh_token_sealed, granted_scopes, issued_at)
          values (${id}, ${generation}, 1, ${issuer}, 'client',
            ${seal('client_secret_sealed', 'secret')}, 'token',
            ${seal('access_token_sealed', `access of ${id}`)},
            ${seal('refresh_token_sealed', `refresh of ${id}`)}, '', 1)`.execute(engine.db);
      }
      await engine.close();
    }

    const tenant = (index: number) => `d290f1ee-6c54-4b01-90e6-00000000000${index}`;
    const find = (store: Store, tenantId: string, spelling = issuer) =>
      store.installations.find({ issuer: spelling, tenantId, pluginId });
    const tokenOf = async (store: Store, id = '') =>
      (await store.grants.load(id))?.accessToken.reveal();

    test('a live installation keeps its tokens under the canonical spelling', async () => {
      await write({ id: 'a', tenantId: tenant(1), issuer: slashed, status: 'active', applied: 10 });

      const store = await database.open();

      const found = await find(store, tenant(1));
      expect(found).toMatchObject({ id: 'a', issuer, status: 'active', generation: 1 });
      expect(await find(store, tenant(1), slashed)).toEqual(found);
      expect(await tokenOf(store, 'a')).toBe('access of a');
      expect(await store.installations.listAfter('', 9)).toEqual([found]);
    });

    test('its tokens can be refreshed, replaced and sealed with another key', async () => {
      await write({ id: 'a', tenantId: tenant(1), issuer: slashed, status: 'active', applied: 10 });
      const store = await database.open();
      const request = { owner: 'o', leaseMs: 1, maxPresentations: 1, burst: 1, intervalMs: 1 };
      const version = { installationId: 'a', generation: 1, tokenVersion: 1 };

      const lease = await store.renewals.acquire(version, request);
      expect(lease).toMatchObject({ outcome: 'acquired' });
      const grant = await store.grants.load('a');
      const installation = await find(store, tenant(1));
      if (!grant || !installation) throw new Error('Nothing is stored');
      await store.transaction(({ grants }) =>
        grants.commitRefresh(grant, { ...grant, accessToken: new Secret('refreshed') }),
      );
      expect(await tokenOf(store, 'a')).toBe('refreshed');
      await store.transaction(({ grants }) =>
        grants.replace(installation, grant, grant, { iat: 20, newestIat: 25 }),
      );
      expect(await tokenOf(store, 'a')).toBe('access of a');
      await store.transaction(({ renewals }) =>
        renewals.beginExchange(
          installation,
          {
            iat: 30,
            codeDigest: 'd',
            baseUrl: issuer,
            trigger: { url: '/t', body: new Secret('body') },
          },
          1,
        ),
      );
      const trigger = (await store.renewals.loadTrigger('a'))?.trigger;
      expect(trigger?.body?.reveal()).toBe('body');
    });

    test('a next life seals with the canonical spelling', async () => {
      await write({ id: 'a', tenantId: tenant(1), issuer: slashed, status: 'active', applied: 10 });
      const store = await database.open();
      const key = { issuer, tenantId: tenant(1), pluginId };
      await store.transaction(({ installations }) => installations.uninstall(key, 20));

      await store.transaction(({ installations }) => installations.begin(key, 30, 30));

      const rows = await database.execute('select sealed_issuer from installations');
      expect(rows.map((row) => row.sealed_issuer)).toEqual([null]);
    });

    test('the live installation of two is kept, with the history of both, not the tombstone', async () => {
      const [tenantId, ended] = [tenant(1), 20];
      await write(
        { id: 'gone', tenantId, issuer, status: 'uninstalled', ended, generation: 4 },
        { id: 'live', tenantId, issuer: slashed, status: 'active', began: 30, applied: 31 },
      );

      const store = await database.open();

      expect(await find(store, tenantId)).toMatchObject({
        id: 'live',
        status: 'active',
        generation: 1,
        endedIat: 20,
      });
      expect(await tokenOf(store, 'live')).toBe('access of live');
      expect(await store.installations.get('gone')).toBeUndefined();
      const report = await describeInstallation(store, 'live');
      expect(report?.events).toHaveLength(2);
      expect(report?.instanceIds).toEqual(['of both', 'of gone', 'of live']);
      for (const digest of ['of gone', 'of live', 'of both']) {
        expect(await store.inbox.findVerdict({ installationId: 'live', digest })).toBeDefined();
      }
      expect(await database.dump()).not.toContain('"gone"');
    });

    test('an uninstall under the other spelling does not end a live installation later', async () => {
      const tenantId = tenant(1);
      await write(
        { id: 'live', tenantId, issuer: slashed, status: 'active', began: 10, applied: 11 },
        { id: 'gone', tenantId, issuer, status: 'uninstalled', ended: 20 },
      );

      const store = await database.open();

      expect(await find(store, tenantId)).toMatchObject({ id: 'live', endedIat: 10 });
      expect(await tokenOf(store, 'live')).toBe('access of live');
    });

    test('the installation with the newer tokens is kept of two live ones', async () => {
      const tenantId = tenant(1);
      await write(
        { id: 'older', tenantId, issuer, status: 'active', began: 40, applied: 10 },
        { id: 'newer', tenantId, issuer: slashed, status: 'active', applied: 20 },
        { id: 'without', tenantId: tenant(2), issuer, status: 'pending', began: 30 },
        { id: 'with', tenantId: tenant(2), issuer: slashed, status: 'active', applied: 10 },
      );

      const store = await database.open();

      expect(await find(store, tenantId)).toMatchObject({ id: 'newer', beganIat: 40 });
      expect(await tokenOf(store, 'newer')).toBe('access of newer');
      expect(await find(store, tenant(2))).toMatchObject({ id: 'with', beganIat: 30 });
      expect(await tokenOf(store, 'with')).toBe('access of with');
    });

    test('two tombstones become one, with the newest uninstall', async () => {
      const tenantId = tenant(1);
      await write(
        { id: 'one', tenantId, issuer, status: 'uninstalled', ended: 20, generation: 3 },
        { id: 'two', tenantId, issuer: slashed, status: 'uninstalled', ended: 30 },
      );

      const store = await database.open();

      expect(await find(store, tenantId)).toMatchObject({
        status: 'uninstalled',
        endedIat: 30,
        generation: 3,
      });
    });

    test('other installations are not changed', async () => {
      await write(
        { id: 'a', tenantId: tenant(1), issuer, status: 'active', applied: 10 },
        { id: 'b', tenantId: tenant(2), issuer: slashed, status: 'active', applied: 10 },
        { id: 'c', tenantId: tenant(1), issuer: `${slashed}ctx`, status: 'active', applied: 10 },
      );

      const store = await database.open();

      for (const id of ['a', 'b', 'c']) expect(await tokenOf(store, id)).toBe(`access of ${id}`);
      expect(await find(store, tenant(1), `${issuer}/ctx/`)).toMatchObject({ id: 'c' });
    });
  });
}
