import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listKeys, openKeyAdmin } from '../keyring-admin.ts';
import { openKeyring } from '../sealing/keyring-file.ts';
import { sealedColumns } from '../sealing/sealed-columns.ts';
import type { Store } from '../store.ts';
import type { Installation } from '../stores/find-installation.ts';
import { type FilledDatabase, fillDatabase } from '../testing/filled-database.ts';
import { assertGrantOf, claimsOf, idTokenOf, tokensOf } from '../testing/seed-grants.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';

// Databases are made for each test, and others use the machine too.
/** More than one batch. */
const installationCount = 120;
const valuesEach = Object.values(sealedColumns).flatMap((columns) => Object.keys(columns)).length;

for (const kind of testDatabases) {
  describe.skipIf(!kind.isAvailable)(`re-encryption on ${kind.name}`, () => {
    let filled: FilledDatabase;
    let database: TestDatabase;
    let store: Store;
    let installations: Installation[];
    let keyFile: { path: string; production: boolean };

    beforeAll(async () => {
      filled = await fillDatabase(kind, installationCount);
      ({ installations } = filled);
    });

    beforeEach(async () => {
      const copy = await filled.copy();
      ({ database, keyFile } = copy);
      store = await database.open({ keyring: openKeyring(keyFile) });
      return copy.destroy;
    });

    afterAll(() => filled.drop());

    const settings = () => ({ database: database.location, keyFile });

    async function withAdmin<Result>(
      work: (admin: Awaited<ReturnType<typeof openKeyAdmin>>) => Promise<Result>,
    ): Promise<Result> {
      const admin = await openKeyAdmin(settings());
      try {
        return await work(admin);
      } finally {
        await admin.close();
      }
    }

    async function expectAllReadable(): Promise<void> {
      for (const { id, tenantId } of installations) {
        assertGrantOf(tenantId, await store.grants.load(id));
        await store.renewals.loadTrigger(id);
        const session = await store.sessions.findPluginSession(tenantId, 0);
        expect(session?.claims).toEqual(claimsOf(tenantId));
        const idToken = await store.sessions.findIdToken(tenantId);
        expect(idToken?.reveal()).toBe(idTokenOf(tenantId).reveal());
      }
    }

    test('seals every value with the new key, so that the old key can be removed', async () => {
      const [old = ''] = openKeyring(keyFile).keyIds();
      await withAdmin(async (admin) => {
        const id = await admin.rotate();
        expect(await listKeys(settings())).toMatchObject([
          { id, state: 'active', values: 0 },
          { id: old, state: 'old', values: installationCount * valuesEach },
        ]);

        const outcome = await admin.reencrypt();

        expect(outcome).toEqual({
          activeKeyId: id,
          resealed: installationCount * valuesEach,
          unreadable: [],
        });
        expect((await admin.reencrypt()).resealed).toBe(0);
      });
      await expectAllReadable();

      expect(await withAdmin((admin) => admin.prune())).toEqual({ removed: [old], kept: [] });
      expect(openKeyring(keyFile).keyIds()).not.toContain(old);
      await expectAllReadable();
    });

    test('reports a value that no key opens, and seals all others', async () => {
      const [first, second] = installations;
      const where = (each?: Installation) => `where installation_id = '${each?.id}'`;
      const keyId = openKeyring(keyFile).activeKeyId();
      await database.execute(
        `update grants set trigger_body_sealed = '${keyId}.AAAA' ${where(first)}`,
      );
      await database.execute(
        `update exchange_intents set trigger_body_sealed = 'no ciphertext' ${where(second)}`,
      );

      await withAdmin(async (admin) => {
        const id = await admin.rotate();
        const { unreadable, resealed } = await admin.reencrypt();

        expect(unreadable).toHaveLength(2);
        expect(unreadable).toContainEqual({
          installationId: first?.id,
          column: 'grants.trigger_body_sealed',
          reason: expect.stringContaining('does not decrypt'),
        });
        expect(unreadable).toContainEqual({
          installationId: second?.id,
          column: 'exchange_intents.trigger_body_sealed',
          reason: expect.stringContaining('no known key'),
        });
        expect(resealed).toBe(installationCount * valuesEach - 2);
        expect(await listKeys(settings())).toMatchObject([
          { id, state: 'active', values: installationCount * valuesEach - 2 },
          { id: keyId, state: 'old', values: 1 },
        ]);
        expect(await admin.prune()).toEqual({
          removed: [],
          kept: [{ id: keyId, values: 1, isSealing: false }],
        });
        expect(openKeyring(keyFile).keyIds()).toEqual([id, keyId]);
      });
    });

    test('finds values that another process sealed with the old key in the meantime', async () => {
      const where = 'where installation_id = (select min(installation_id) from grants)';
      const [row] = await database.execute(`select access_token_sealed from grants ${where}`);
      const bringBack = `update grants set access_token_sealed = '${String(row?.access_token_sealed)}' ${where}`;

      await withAdmin(async (admin) => {
        const id = await admin.rotate();
        let isBroughtBack = false;
        const onProgress = async () => {
          if (isBroughtBack) return;
          isBroughtBack = true;
          await database.execute(bringBack);
        };
        const { resealed } = await admin.reencrypt({ onProgress });

        expect(resealed).toBe(installationCount * valuesEach + 1);
        expect((await listKeys(settings()))[0]).toMatchObject({
          id,
          state: 'active',
          values: installationCount * valuesEach,
        });
      });
      await expectAllReadable();
    });

    test('E04: in a rolling restart each process reads what the others seal', async () => {
      const [old = ''] = openKeyring(keyFile).keyIds();
      const [first, second] = installations as [Installation, Installation];
      const id = await withAdmin((admin) => admin.rotate());
      const restarted = await database.open({ keyring: openKeyring(keyFile) });
      const refresh = async (process: Store, { id: of }: Installation) => {
        const grant = await process.grants.load(of);
        if (!grant) throw new Error('A grant is gone');
        const tokens = tokensOf(grant.installationId);
        await process.transaction(({ grants }) => grants.commitRefresh(grant, tokens));
      };

      await refresh(restarted, first);
      await refresh(store, second);

      for (const process of [store, restarted]) {
        for (const { id: of } of [first, second]) {
          const grant = await process.grants.load(of);
          expect(grant?.accessToken.reveal()).toBe(tokensOf(of).accessToken.reveal());
        }
      }
      const rows = await database.execute(
        `select substr(access_token_sealed, 1, 8) as id from grants
          where installation_id in ('${first.id}', '${second.id}') order by 1`,
      );
      expect(new Set(rows.map((row) => row.id))).toEqual(new Set([id, old]));
    });

    test('the last values of a simultaneous writer are kept', async () => {
      const stored = new Map<string, string>();
      let isDone = false;
      const writing = (async () => {
        for (let count = 0; !isDone; count += 1) {
          const { id = '' } = installations[count % installationCount] ?? {};
          const grant = await store.grants.load(id);
          if (!grant) throw new Error('A grant is gone');
          const tokens = tokensOf(`${id} ${count}`);
          await store.transaction(({ grants }) => grants.commitRefresh(grant, tokens));
          stored.set(id, tokens.accessToken.reveal());
        }
      })();

      await withAdmin(async (admin) => {
        for (let count = 0; count < 5; count += 1) {
          await admin.rotate();
          // The writer starts again.
          store = await database.open({ keyring: openKeyring(keyFile) });
          await admin.reencrypt();
        }
      });
      isDone = true;
      await writing;

      expect(stored.size).toBeGreaterThan(5);
      for (const [id, accessToken] of stored) {
        expect((await store.grants.load(id))?.accessToken.reveal()).toBe(accessToken);
      }
      const [active, ...old] = await listKeys(settings());
      expect(active?.values).toBe(installationCount * valuesEach);
      expect(old.map(({ values }) => values)).toEqual([0, 0, 0, 0, 0]);
    });
  });
}
