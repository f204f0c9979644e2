/** The rotation of the encryption key by the dashboard, on each kind of database, with a real key file. */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openKeyAdmin, openKeyring, openStore, type Store } from '@dowel/installation-store';
import {
  seededId,
  seedInstallations,
  type TestDatabase,
  testDatabases,
} from '@dowel/installation-store/testing';
import { keysSchema, runSchema } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Server } from '../server-options.ts';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';
import { signInAs } from '../testing/sign-in-as.ts';
import { cookieOf } from '../testing/start-world.ts';

const reason = 'The key is two years old';
const dashboard = new URL('../../../../apps/admin/dist', import.meta.url).pathname;

for (const { name: engine, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`the rotation on ${engine}`, () => {
    let world: ServerWorld;
    let stack: AsyncDisposableStack;
    let server: Server;
    let url: string;
    let cookie = '';
    let keyFile: { path: string; production: boolean };
    let created: TestDatabase;
    let database: { path: string } | { url: string };

    beforeEach(async () => {
      stack = new AsyncDisposableStack();
      created = await create();
      stack.defer(() => created.destroy());
      world = await startServerWorld();
      stack.use(world);
      database = created.location;
      keyFile = { path: join(world.folder, 'encryption.key'), production: false };
      let link = '';
      server = world.create({
        database,
        keyFile,
        dashboard: { directory: dashboard, onSignInLink: (given) => (link = given.url) },
      });
      ({ url } = await server.start());
      const code = new URL(link).hash.replace('#code=', '');
      cookie = cookieOf(await post('session', { code }));
    });

    afterEach(() => stack.disposeAsync());

    const post = (path: string, body: unknown = { reason }) =>
      fetch(`${url}/admin/api/${path}`, {
        method: 'POST',
        headers: { cookie, 'x-dowel-csrf': '1', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    async function readEncryption() {
      const response = await fetch(`${url}/admin/api/keys`, { headers: { cookie } });
      return keysSchema.parse(await response.json()).encryption;
    }

    /** Opens the store like another process. */
    async function openBeside(): Promise<Store> {
      const store = await openStore({ ...database, keyring: openKeyring(keyFile) });
      stack.defer(() => store.close());
      return store;
    }

    const seed = (count: number) =>
      seedInstallations({
        location: database,
        keyring: openKeyring(keyFile),
        count,
        at: Date.now(),
      });

    /** Locks a row: a run cannot end meanwhile. */
    async function holdRow(): Promise<void> {
      const isHeld = `new.installation_id = '${seededId(0)}'`;
      if (engine === 'SQLite') {
        await created.execute(
          `create trigger hold before update on grants when ${isHeld} begin select raise(ignore); end`,
        );
        return;
      }
      await created.execute(
        "create function hold() returns trigger language plpgsql as 'begin return null; end'",
      );
      await created.execute(
        `create trigger hold before update on grants for each row when (${isHeld}) execute function hold()`,
      );
    }

    const releaseRow = () =>
      created.execute(`drop trigger hold ${engine === 'SQLite' ? '' : 'on grants'}`);

    async function rotateBeside(): Promise<string> {
      const admin = await openKeyAdmin({ database, keyFile });
      return admin.rotate().finally(admin.close);
    }

    async function listActions() {
      const { audit } = await openBeside();
      const { entries } = await audit.list({ limit: 20 });
      return entries
        .filter(({ action }) => /key|run|reencrypt/.test(action))
        .map(({ action, result, meaning }) => [action, result, meaning?.kind]);
    }

    async function untilCounted(): Promise<void> {
      await expect.poll(async () => (await readEncryption()).countedAt).not.toBeNull();
    }

    test('seals all values with a key that was made where Dowel runs, and says how far it is', async () => {
      await seed(150);
      await untilCounted();
      const id = await rotateBeside();

      const started = await post('keys/reencrypt');

      expect(started.status).toBe(201);
      const run = runSchema.parse(await started.json());
      expect(run).toMatchObject({ action: 'reencrypt', reason });
      await expect.poll(async () => (await readEncryption()).run?.state).toBe('done');
      const store = await openBeside();
      await expect
        .poll(async () => (await store.describeKeys()).keys)
        .toMatchObject([
          { id, state: 'active' },
          { state: 'old', values: 0 },
        ]);
      const { total, done, failed } = (await readEncryption()).run ?? {};
      expect([total, done, failed]).toEqual([run.total, run.total, 0]);
      expect(done).toBeGreaterThan(150);
      expect(await listActions()).toEqual([
        ['reencrypt', 'done', 'resealed'],
        ['start-run', 'done', 'resealing'],
      ]);
    });

    test('F28: can be stopped, in the middle, and started again', async () => {
      await seed(150);
      await untilCounted();
      await rotateBeside();
      await holdRow();
      const { id } = runSchema.parse(await (await post('keys/reencrypt')).json());
      const second = await post('keys/reencrypt');

      const stop = await fetch(`${url}/admin/api/runs/${id}`, {
        method: 'DELETE',
        headers: { cookie, 'x-dowel-csrf': '1' },
      });

      expect(second.status).toBe(409);
      expect(await second.json()).toMatchObject({ code: 'RUN_UNDER_WAY' });
      expect(stop.status).toBe(200);
      await expect.poll(async () => (await readEncryption()).run?.state).toBe('stopped');
      const { run: stopped } = await readEncryption();
      expect(stopped?.done).toBeLessThan(stopped?.total ?? 0);
      // It did not go on until it gave the held row up.
      expect(await listActions()).toContainEqual(['reencrypt', 'done', 'resealed_part']);
      await releaseRow();
      const again = runSchema.parse(await (await post('keys/reencrypt')).json());
      await expect.poll(async () => (await readEncryption()).run?.state).toBe('done');
      expect((await readEncryption()).run?.id).toBe(again.id);
    });

    test('F28: two starts at once begin one run', async () => {
      await seed(150);
      await untilCounted();
      await rotateBeside();

      const answers = await Promise.all([post('keys/reencrypt'), post('keys/reencrypt')]);

      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
      const refused = answers.find(({ status }) => status === 409);
      expect(await refused?.json()).toMatchObject({ code: 'RUN_UNDER_WAY' });
      await expect.poll(async () => (await readEncryption()).run?.state).toBe('done');
      const store = await openBeside();
      const { entries } = await store.audit.list({ action: 'start-run', limit: 9 });
      expect(entries.map(({ result }) => result).toSorted()).toEqual(['done', 'refused']);
    });

    test('goes on in another process when its own stops', async () => {
      await seed(150);
      await untilCounted();
      const id = await rotateBeside();
      await holdRow();
      const run = runSchema.parse(await (await post('keys/reencrypt')).json());

      await server.close();
      const store = await openBeside();
      expect((await store.runs.find(run.id))?.state).toBe('running');
      await releaseRow();
      await world.create({ database, keyFile, dashboard: { directory: dashboard } }).start();

      await expect.poll(async () => (await store.runs.find(run.id))?.state).toBe('done');
      const { done, total } = (await store.runs.find(run.id)) ?? {};
      expect(done).toBe(total);
      await expect
        .poll(async () => (await store.describeKeys()).keys)
        .toMatchObject([{ id }, { state: 'old', values: 0 }]);
    });

    test('F28: only an owner may do it, and the audit has who tried', async () => {
      const store = await openBeside();
      const send = (path: string, body: unknown) => post(path.replace('/admin/api/', ''), body);
      cookie = await signInAs({ store, post: send }, 'vic', 'operator');

      for (const path of ['keys/rotate', 'keys/reencrypt']) {
        const refused = await post(path);
        expect(refused.status).toBe(403);
        expect(await refused.json()).toMatchObject({ code: 'ROLE_MISSING' });
      }

      expect(await listActions()).toEqual([
        ['start-run', 'refused', 'role_missing'],
        ['rotate-keys', 'refused', 'role_missing'],
      ]);
    });

    test('F28: an operator who is no owner does not stop it', async () => {
      await seed(150);
      await untilCounted();
      await rotateBeside();
      await holdRow();
      const { id } = runSchema.parse(await (await post('keys/reencrypt')).json());
      const store = await openBeside();
      const send = (path: string, body: unknown) => post(path.replace('/admin/api/', ''), body);
      const operators = await signInAs({ store, post: send }, 'vic', 'operator');

      const stop = await fetch(`${url}/admin/api/runs/${id}`, {
        method: 'DELETE',
        headers: { cookie: operators, 'x-dowel-csrf': '1' },
      });

      expect(stop.status).toBe(403);
      expect(await stop.json()).toMatchObject({ code: 'ROLE_MISSING' });
      expect((await store.runs.find(id))?.state).toBe('running');
      const { entries } = await store.audit.list({ action: 'stop-run', limit: 9 });
      expect(entries).toMatchObject([{ result: 'refused', meaning: { needed: 'owner' } }]);
      await releaseRow();
    });

    test('without a reason nothing is done', async () => {
      const [id] = openKeyring(keyFile).keyIds();

      for (const path of ['keys/rotate', 'keys/reencrypt']) {
        expect((await post(path, {})).status).toBe(400);
      }

      expect(openKeyring(keyFile).keyIds()).toEqual([id]);
      expect(await listActions()).toEqual([]);
    });

    test.skipIf(engine !== 'SQLite')('makes a key and seals all values with it', async () => {
      await seed(150);
      await untilCounted();
      const [old] = openKeyring(keyFile).keyIds();
      expect((await readEncryption()).mayRotate).toBe(true);

      expect((await post('keys/rotate')).status).toBe(201);

      const [id, ...others] = openKeyring(keyFile).keyIds();
      expect(others).toEqual([old]);
      await expect.poll(async () => (await readEncryption()).run?.state).toBe('done');
      const store = await openBeside();
      await expect
        .poll(async () => (await store.describeKeys()).keys)
        .toMatchObject([{ id }, { id: old, values: 0 }]);
      expect(await listActions()).toEqual([
        ['reencrypt', 'done', 'resealed'],
        ['start-run', 'done', 'resealing'],
        ['rotate-keys', 'done', 'key_active'],
      ]);
    });

    test.skipIf(engine !== 'SQLite')(
      'a key file that is gone is an error, and no key is made',
      async () => {
        await untilCounted();
        const store = await openBeside();
        const { path } = keyFile;
        await rename(path, `${path}.away`);

        const failed = await post('keys/rotate');

        expect(failed.status).toBe(500);
        expect(existsSync(path)).toBe(false);
        expect((await store.audit.list({ action: 'rotate-keys', limit: 9 })).entries).toMatchObject(
          [{ result: 'failed' }],
        );
      },
    );

    test.skipIf(engine !== 'PostgreSQL')(
      'F28: makes no key that other machines would lack',
      async () => {
        const [id] = openKeyring(keyFile).keyIds();
        await untilCounted();
        expect((await readEncryption()).mayRotate).toBe(false);

        const refused = await post('keys/rotate');

        expect(refused.status).toBe(409);
        expect(await refused.json()).toMatchObject({ code: 'KEY_FILE_ELSEWHERE' });
        expect(openKeyring(keyFile).keyIds()).toEqual([id]);
        expect(await listActions()).toEqual([['rotate-keys', 'refused', 'key_file_elsewhere']]);
      },
    );
  });
}
