import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Installation, openKeyring, openStore, type Store } from '@dowel/installation-store';
import {
  assertGrantOf,
  seedGrants,
  type TestDatabase,
  usualDatabases,
} from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { type CliOutcome, runCli, startCli } from './testing/run-cli.ts';

let folder: string;
let keyPath: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  keyPath = join(folder, 'encryption.key');
});

afterEach(() => rm(folder, { recursive: true }));

const environmentWith = (settings: Record<string, string>) => ({
  DOWEL_DATA_DIR: folder,
  NODE_ENV: 'production',
  ...settings,
});

/** The call as a process, with its own working folder and umask. */
const dowelProcess = (command: string, settings: Record<string, string> = {}) =>
  runCli(command.split(' '), environmentWith(settings), { cwd: folder });

/** The same call in this process. */
function dowel(command: string, settings: Record<string, string> = {}): Promise<CliOutcome> {
  return callCommand({ args: command.split(' '), folder, settings: environmentWith(settings) });
}

/** No output may contain a key of the file. */
async function expectNoKeyIn({ out, err }: CliOutcome): Promise<void> {
  for (const key of (await readFile(keyPath, 'utf8')).match(/^[\w-]{43}/gm) ?? []) {
    expect(`${out}${err}`).not.toContain(key);
  }
}

describe('dowel', () => {
  test('lists its commands on request', async () => {
    const asked = await dowelProcess('--help');

    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(asked.out).toContain('keys rotate');
    expect(asked.out).toContain('audit');
  });

  test.each([
    ['keep --help', /^Usage: dowel keep ID --reason "…" --until 2027-01-31\n\n {2}keep an uninst/],
    ['keys prune --help', /^Usage: dowel keys prune\n\n {2}remove the old keys/],
    [
      'keys --help',
      /^Usage: dowel <command>\n\n {2}keys create [\s\S]* {2}keys prune (?![\s\S]*users)/,
    ],
  ])('"%s" shows what belongs to it alone', async (command, usage) => {
    expect(await dowel(command)).toMatchObject({
      code: 0,
      out: expect.stringMatching(usage),
      err: '',
    });
  });

  test.each([
    ['burn', 'There is no such command.', 3],
    ['keys burn', 'There is no such command.\n\nUsage: dowel <command>\n\n  keys create', 10],
    ['keys prune --dry-run', "Unknown option '--dry-run'.\n\nUsage: dowel keys prune\n", 7],
    ['users add ada', '"users add" takes NAME and ROLE.\n\nUsage: dowel users add NAME ROLE', 7],
  ])('after the wrong call "%s" the problem stays in sight', async (command, problem, lines) => {
    const misused = await dowel(command);

    expect(misused).toMatchObject({ code: 2, out: '' });
    expect(misused.err.startsWith(problem), misused.err).toBe(true);
    expect(misused.err.trimEnd().split('\n')).toHaveLength(lines);
  });

  test('refuses an invalid database URL without repeating it', async () => {
    const outcome = await dowel('keys list', { DOWEL_DATABASE_URL: 'mysql://dowel:s3cret@db/x' });

    expect(outcome).toMatchObject({ code: 1, out: '' });
    expect(outcome.err).toMatch(/^DOWEL_DATABASE_URL must be a PostgreSQL URL/);
    expect(outcome.err).not.toContain('s3cret');
  });

  test('reads the database URL from the file that DOWEL_DATABASE_URL_FILE names', async () => {
    const path = join(folder, 'database-url');
    const missing = await dowel('keys list', { DOWEL_DATABASE_URL_FILE: path });
    await writeFile(path, 'mysql://dowel:s3cret@db/x\n');
    const wrong = await dowel('keys list', { DOWEL_DATABASE_URL_FILE: path });

    expect(missing.err).toBe(
      'DOWEL_DATABASE_URL_FILE names a file that cannot be read: it does not exist (ENOENT)\n',
    );
    expect(wrong.err).toMatch(/^DOWEL_DATABASE_URL must be a PostgreSQL URL/);
  });
});

describe('dowel, with a .env in the working folder', () => {
  test('uses its values, also if the environment has the same variable empty', async () => {
    await writeFile(join(folder, '.env'), 'DOWEL_DATABASE_URL=mysql://dowel@db/x\n');

    for (const settings of [{}, { DOWEL_DATABASE_URL: '' }]) {
      const outcome = await dowelProcess('keys list', settings);

      expect(outcome).toMatchObject({ code: 1, out: '' });
      expect(outcome.err).toMatch(/^DOWEL_DATABASE_URL must be a PostgreSQL URL/);
    }
  });
});

describe('dowel, with an unknown setting', () => {
  test('changes nothing, and suggests the setting that was probably meant', async () => {
    const outcome = await dowelProcess('keys create', {
      DOWEL_KEYFILE: '/elsewhere/encryption.key',
    });

    expect(outcome).toEqual({
      code: 1,
      out: '',
      err: 'DOWEL_KEYFILE is not a setting: did you mean DOWEL_KEY_FILE?\n',
    });
    expect(existsSync(keyPath)).toBe(false);
  });
});

describe('dowel keys create', () => {
  test('creates the file once, at DOWEL_KEY_FILE', async () => {
    const elsewhere = { DOWEL_KEY_FILE: join(folder, 'keys/other.key') };

    expect(await dowelProcess('keys create', elsewhere)).toMatchObject({ code: 0, err: '' });
    const text = await readFile(elsewhere.DOWEL_KEY_FILE, 'utf8');
    expect((await stat(elsewhere.DOWEL_KEY_FILE)).mode & 0o777).toBe(0o600);
    expect(await dowelProcess('keys create', elsewhere)).toMatchObject({ code: 1, out: '' });
    expect(await readFile(elsewhere.DOWEL_KEY_FILE, 'utf8')).toBe(text);
    expect(existsSync(join(folder, 'dowel.sqlite'))).toBe(false);
  });
});

describe('dowel keys list', () => {
  test('refuses a key file that others may read, or with a broken line, and explains the fix', async () => {
    await dowel('keys create');
    await chmod(keyPath, 0o644);
    const open = await dowel('keys list');
    expect(open).toMatchObject({ code: 1, out: '' });
    expect(open.err).toContain(`chmod 600 '${keyPath}'`);

    await chmod(keyPath, 0o600);
    const text = await readFile(keyPath, 'utf8');
    await writeFile(
      keyPath,
      text.replace(/^[\w-]{43}/m, (key) => key.slice(1)),
    );
    const broken = await dowel('keys list');
    expect(broken).toMatchObject({ code: 1, out: '' });
    expect(broken.err).toContain('line 2 is not a key');
  });
});

describe('dowel keys rotate', () => {
  test('without a key file or a database, creates neither', async () => {
    expect((await dowel('keys rotate')).err).toContain('dowel keys create');
    await dowel('keys create');

    const outcome = await dowel('keys rotate');

    expect(outcome).toMatchObject({ code: 1, out: '' });
    expect(outcome.err).toMatch(/^There is no database at /);
    expect(existsSync(join(folder, 'dowel.sqlite'))).toBe(false);
    expect(openKeyring({ path: keyPath, production: true }).keyIds()).toHaveLength(1);
  });
});

for (const { name, isAvailable, create } of usualDatabases) {
  describe.skipIf(!isAvailable)(`dowel on ${name}`, () => {
    let database: TestDatabase;
    let settings: Record<string, string>;
    let store: Store;
    let installations: Installation[];

    beforeEach(async () => {
      database = await create();
      const { location } = database;
      settings =
        'url' in location
          ? { DOWEL_DATABASE_URL: location.url }
          : { DOWEL_DATA_DIR: join(location.path, '..') };
      settings.DOWEL_KEY_FILE = keyPath;
      await dowel('keys create', settings);
      const keyring = openKeyring({ path: keyPath, production: true });
      store = await openStore({ ...location, keyring });
      installations = await seedGrants(store, 3);
      return async () => {
        await store.close();
        await database.destroy();
      };
    });

    const keyIds = () => openKeyring({ path: keyPath, production: true }).keyIds();
    const values = 21;
    const valuesOfGrant = 4;

    async function expectAllReadable(): Promise<void> {
      for (const { id, tenantId } of installations) {
        assertGrantOf(tenantId, await store.grants.load(id));
        await store.renewals.loadTrigger(id);
      }
    }

    async function countSealedWith(keyId = ''): Promise<number> {
      const keyring = openKeyring({ path: keyPath, production: true });
      const counted = await openStore({ ...database.location, keyring });
      try {
        await expect.poll(async () => (await counted.describeKeys()).countedAt).not.toBeNull();
        const { keys } = await counted.describeKeys();
        return keys.find(({ id }) => id === keyId)?.values ?? 0;
      } finally {
        await counted.close();
      }
    }

    /** Locks a grant: a re-encryption cannot end until it is released. */
    async function holdRow(id: string): Promise<void> {
      const isHeld = `new.installation_id = '${id}'`;
      if (name === 'SQLite') {
        await database.execute(
          `create trigger hold before update on grants when ${isHeld} begin select raise(ignore); end`,
        );
        return;
      }
      await database.execute(
        "create function hold() returns trigger language plpgsql as 'begin return null; end'",
      );
      await database.execute(
        `create trigger hold before update on grants for each row when (${isHeld}) execute function hold()`,
      );
    }

    const releaseRow = () =>
      database.execute(`drop trigger hold ${name === 'SQLite' ? '' : 'on grants'}`);

    test('rotates keys step by step', async () => {
      const [old] = keyIds();
      const rotated = await dowel('keys rotate', settings);
      const [active] = keyIds();
      expect(rotated).toMatchObject({ code: 0, err: '' });
      expect(rotated.out).toContain(`Key ${active} seals after the next start`);
      await expectNoKeyIn(rotated);

      const early = await dowel('keys prune', settings);
      expect(early).toMatchObject({ code: 1, out: '' });
      expect(early.err).toContain(`Key ${old} stays: it seals ${values} values`);
      expect(keyIds()).toEqual([active, old]);

      expect(await dowel('reencrypt', settings)).toMatchObject({
        code: 0,
        out: expect.stringMatching(new RegExp(`Sealed ${values} values with key ${active}\\.\n$`)),
        err: '',
      });
      const listed = await dowel('keys list', settings);
      expect(listed.out).toMatch(
        new RegExp(`^${active}  active   ${values} values\n${old}  old      0 values\n$`),
      );
      await expectNoKeyIn(listed);

      expect(await dowel('keys prune', settings)).toMatchObject({
        code: 0,
        out: `Removed key ${old}: no value is sealed with it.\n`,
      });
      expect(await dowel('keys prune', settings)).toMatchObject({ code: 0, err: '' });
      expect(keyIds()).toEqual([active]);
      await expectAllReadable();
      const { entries } = await store.audit.list({ limit: 50 });
      expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
        ['prune-keys', 'Removed: none.'],
        ['prune-keys', `Removed: ${old}.`],
        ['reencrypt', `Sealed ${values} values with key ${active}.`],
        ['prune-keys', 'Removed: none.'],
        ['rotate-keys', `Key ${active} seals after the next start.`],
      ]);
      expect(entries.map(({ meaning }) => meaning)).toEqual([
        { kind: 'keys_removed', keyIds: [] },
        { kind: 'keys_removed', keyIds: [old] },
        { kind: 'resealed', count: values, keyId: active },
        { kind: 'keys_removed', keyIds: [] },
        { kind: 'key_active', keyId: active },
      ]);
    });

    test('removes no key while a process that sealed with it may run', async () => {
      await store.reportKey();
      const [old] = keyIds();
      await dowel('keys rotate', settings);
      await dowel('reencrypt', settings);

      expect((await dowel('keys list', settings)).out).toContain(
        `${old}  old      0 values, a process seals with it\n`,
      );
      const pruned = await dowel('keys prune', settings);

      expect(pruned).toMatchObject({ code: 1, out: '' });
      expect(pruned.err).toMatch(
        new RegExp(`^Key ${old} stays: within the last two minutes a process sealed with it.`),
      );
      expect(keyIds()).toContain(old);
    });

    test('K9: a killed reencrypt leaves every value readable, and the next one ends the work', async () => {
      const [old] = keyIds();
      await dowel('keys rotate', settings);
      const [held] = installations;
      await holdRow(held?.id ?? '');
      const killed = startCli(['reencrypt'], environmentWith(settings));
      await expect.poll(() => countSealedWith(keyIds()[0])).toBe(values - valuesOfGrant);
      killed.kill('SIGKILL');
      await once(killed, 'close');
      await expectAllReadable();

      await releaseRow();
      expect(await dowel('reencrypt', settings)).toMatchObject({
        out: expect.stringContaining(`Sealed ${valuesOfGrant} values with key`),
      });

      expect(await countSealedWith(old)).toBe(0);
      await expectAllReadable();
    });

    test('does not ask for a key that was removed while nothing needed it', async () => {
      const [active, old] = [keyIds()[0], 'a1b2c3d4'];
      // What a prune leaves that is killed between the file and the database.
      await database.execute(
        `insert into key_checks (key_id, value_sealed, created_at)
          select '${old}', value_sealed, created_at from key_checks limit 1`,
      );

      const { code, out, err } = await dowel('keys list', settings);

      expect([code, err]).toEqual([0, '']);
      expect(out).toContain(`${active}  active`);
      expect(out).not.toContain(old);
    });

    test('names both keys when the key file is another database’s, and changes nothing', async () => {
      const [right] = keyIds();
      await rm(keyPath);
      await dowel('keys create', { DOWEL_KEY_FILE: keyPath });
      const [wrong] = keyIds();
      const before = await database.dump();

      const outcome = await dowel('keys rotate', settings);
      expect(outcome).toMatchObject({ code: 1, out: '' });
      expect(outcome.err).toMatch(new RegExp(`sealed with key ${right}; .* holds key ${wrong}`));

      expect(keyIds()).toEqual([wrong]);
      expect(await database.dump()).toBe(before);
      expect(await dowel('keys list', settings)).toMatchObject({
        code: 1,
        out: expect.stringMatching(
          new RegExp(`^${wrong}  active   0 values\n${right}  missing  ${values} values\n$`),
        ),
      });
    });

    // The store's own tests show these on both databases.
    if (name !== 'SQLite') return;

    test('names a value that cannot be read, and seals the others', async () => {
      const [damaged] = installations;
      await database.execute(`update grants set access_token_sealed = 'damaged'
        where installation_id = '${damaged?.id}'`);
      await dowel('keys rotate', settings);

      const { code, out, err } = await dowel('reencrypt', settings);

      expect(code).toBe(1);
      expect(out).toContain(`Sealed ${values - 1} values with key`);
      expect(err).toContain(`Installation ${damaged?.id}, grants.access_token_sealed: not changed`);
      expect(err).toContain('access_token event');
    });

    test('creates no key for a database whose key is lost', async () => {
      const [lost] = keyIds();
      await rm(keyPath);

      const { code, err } = await dowel('keys create', settings);

      expect(code).toBe(1);
      expect(err).toContain(`sealed with key ${lost}`);
      expect(existsSync(keyPath)).toBe(false);
      expect((await dowel('keys list', settings)).out).toContain(`${lost}  missing`);
    });
  });
}
