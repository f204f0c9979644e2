import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createKeyring } from './keyring.ts';
import { addActiveKey, createKeyFile, openKeyring, removeKeys } from './keyring-file.ts';

const place = ['a', 'b'];
const secret = new Secret('canary');
const newKey = () => randomBytes(32).toString('base64url');

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-key-'));
  path = join(folder, 'encryption.key');
});

afterEach(() => rm(folder, { recursive: true }));

const open = (production = false) => openKeyring({ path, production });

describe('the key file', () => {
  test('contains one key per line, the active one first, and comments', async () => {
    await writeFile(path, `# ours\r\n\r\n${newKey()} # 2026\r\n  ${newKey()}\n#${newKey()}\n`);

    expect(open().keyIds()).toHaveLength(2);
  });

  test('with a single line, as earlier versions created it, is read', async () => {
    await writeFile(path, `${newKey()}\n`, { mode: 0o600 });

    expect(open(true).keyIds()).toHaveLength(1);
  });

  test.each([
    ['a key that is too short', `${newKey().slice(1)}\n`],
    ['base64 that is not base64url', `${newKey().slice(0, 42)}=\n`],
    ['two keys in a line', `${newKey()} ${newKey()}\n`],
  ])('with %s is refused with the number of the line, without its text', async (_what, text) => {
    await writeFile(path, `# fine\n${text}`);

    expect(() => open()).toThrow(/line 2 is not a key/);
    expect(() => open()).not.toThrow(text.trim());
  });

  test.each(['', '# nothing but a comment\n'])('without a key is refused: %j', async (text) => {
    await writeFile(path, text);

    expect(() => open()).toThrow(expect.objectContaining({ code: 'KEY_UNUSABLE' }));
  });

  test.each([
    ['of zero bytes', Buffer.alloc(32)],
    ['of one byte', Buffer.alloc(32, 0xff)],
    ['of a repeated word', Buffer.alloc(32, 'changeme')],
    ['that counts up', Buffer.from(Array.from({ length: 32 }, (_, index) => 240 + index))],
    ['that counts down', Buffer.from(Array.from({ length: 32 }, (_, index) => 99 - index))],
  ])('with a first key %s is refused; behind a random key it opens', async (_, weak) => {
    const weakKey = weak.toString('base64url');
    await writeFile(path, `${weakKey}\n${newKey()}\n`, { mode: 0o600 });
    expect(() => open()).toThrow(
      expect.objectContaining({
        code: 'KEY_UNUSABLE',
        message: expect.stringMatching(/is not random: .* Put a random key on the line before/),
      }),
    );
    expect(() => createKeyring(weak)).toThrow(TypeError);

    await writeFile(path, `${newKey()}\n${weakKey}\n`, { mode: 0o600 });
    expect(open().keyIds()).toHaveLength(2);
  });

  test('is no folder: it is refused, and its mode is not changed', async () => {
    await mkdir(path, { mode: 0o755 });

    expect(() => open()).toThrow('it is a folder (EISDIR)');
    expect((await stat(path)).mode & 0o777).toBe(0o755);
  });

  test.skipIf(process.platform === 'win32')('may be a pipe, which is read once', async () => {
    await writeFile(path, `${newKey()}\n`, { mode: 0o600 });
    const program = `
      const { openKeyring } = await import(${JSON.stringify(new URL('keyring-file.ts', import.meta.url).href)});
      const keyring = openKeyring({ path: process.argv[1], production: true });
      console.log(keyring.activeKeyId(), keyring.has('00000000'));`;
    const node = '"$1" --input-type=module -e "$2"';
    const named = `mkfifo -m 600 "$0.pipe"; cat "$0" > "$0.pipe" & ${node} "$0.pipe"`;

    for (const piped of [`cat "$0" | ${node} /dev/fd/3 3<&0`, named]) {
      const words = ['-c', piped, path, process.execPath, program];
      const { stdout } = spawnSync('sh', words, { encoding: 'utf8', timeout: 60_000 });

      expect(stdout).toBe(`${open().activeKeyId()} false\n`);
    }
  });

  test('that is missing: the error names the command that creates it', () => {
    expect(() => open(true)).toThrow(
      expect.objectContaining({
        code: 'KEY_MISSING',
        message: expect.stringContaining('dowel keys create'),
      }),
    );
  });

  test('is created once by concurrent processes', () => {
    expect(createKeyFile(path)).toBe(true);
    const ids = open().keyIds();

    expect(createKeyFile(path)).toBe(false);
    expect(open().keyIds()).toEqual(ids);
  });

  test('leaves no other file behind', async () => {
    createKeyFile(path);
    addActiveKey(path);

    expect(await readdir(folder)).toEqual(['encryption.key']);
  });

  test('keeps its comments, and is kept where a link points', async () => {
    const target = join(folder, 'kept-elsewhere.key');
    await writeFile(target, `# ours\n${newKey()}\n# the end\n`, { mode: 0o600 });
    await symlink(target, path);
    const [old = ''] = open().keyIds();

    const id = addActiveKey(path);
    expect(open().keyIds()).toEqual([id, old]);
    removeKeys(path, [old]);

    expect(open().keyIds()).toEqual([id]);
    expect(await readFile(target, 'utf8')).toMatch(/^# ours\n[\w-]{43} # .*\n# the end\n$/);
  });

  test('is replaced and never rewritten: a process that has opened it reads the previous file', async () => {
    createKeyFile(path);
    const before = await readFile(path, 'utf8');
    const opened = await openFile(path);

    addActiveKey(path);

    expect(await opened.readFile('utf8')).toBe(before);
    await opened.close();
  });

  test('is complete at every moment of a change', async () => {
    createKeyFile(path);
    const [old = ''] = open().keyIds();
    let isDone = false;
    const reading = (async () => {
      while (!isDone) {
        const text = await readFile(path, 'utf8');
        expect(text.endsWith('\n')).toBe(true);
        expect(open().keyIds()).toContain(old);
      }
    })();
    for (let count = 0; count < 50; count += 1) {
      removeKeys(path, [addActiveKey(path)]);
      await new Promise(setImmediate);
    }
    isDone = true;

    await reading;
  });

  test.skipIf(process.getuid?.() !== 0)(
    'keeps its owner when root changes it, so that the owner can still read it',
    async () => {
      createKeyFile(path);
      await chown(path, 65_534, 65_533);

      addActiveKey(path);

      expect(await stat(path)).toMatchObject({ uid: 65_534, gid: 65_533 });
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    },
  );

  test('is not affected by files that a killed process left beside it', async () => {
    createKeyFile(path);
    await writeFile(`${path}.new`, 'half a ke');

    addActiveKey(path);

    expect(open().keyIds()).toHaveLength(2);
    expect(await readdir(folder)).toEqual(['encryption.key']);
  });
});

describe('E11: the mode of the key file', () => {
  const modeOf = async () => ((await stat(path)).mode & 0o777).toString(8);

  test('is 600 when it is created and changed, regardless of the umask', async () => {
    const umask = process.umask(0);
    try {
      createKeyFile(path);
      expect(await modeOf()).toBe('600');
      addActiveKey(path);
      expect(await modeOf()).toBe('600');
    } finally {
      process.umask(umask);
    }
  });

  test('is fixed for development', async () => {
    createKeyFile(path);
    await chmod(path, 0o644);

    open();

    expect(await modeOf()).toBe('600');
  });

  test.each([0o640, 0o604, 0o660])('%o is refused in production, with the remedy', async (mode) => {
    createKeyFile(path);
    await chmod(path, mode);

    expect(() => open(true)).toThrow(/others may read it .*chmod 600/);
    expect(await modeOf()).toBe(mode.toString(8));
  });

  test('400 is accepted: a mounted secret need not be writable', async () => {
    createKeyFile(path);
    await chmod(path, 0o400);

    expect(open(true).keyIds()).toHaveLength(1);
  });
});

/** Such as a secret of Kubernetes with fsGroup: it is root's. */
describe.skipIf(process.getuid?.() !== 0)('a mounted secret (skipped unless run as root)', () => {
  const group = 4_242;

  /** Opens the file as a user that is not root. */
  function openAsUser(warnings: string[] = []) {
    process.setegid?.(group);
    process.seteuid?.(65_534);
    try {
      return openKeyring({ path, production: true }, (text) => warnings.push(text));
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
  }

  beforeEach(async () => {
    createKeyFile(path);
    await chmod(folder, 0o755);
  });

  test.each([0o440, 0o640])(
    "%o is accepted for a group of the process if it is root's",
    async (mode) => {
      await chown(path, 0, group);
      await chmod(path, mode);
      const warnings: string[] = [];

      expect(openAsUser(warnings).keyIds()).toHaveLength(1);
      expect(warnings).toEqual([]);
    },
  );

  test.each([0o460, 0o466])('%o is refused: others may change it', async (mode) => {
    await chown(path, 0, group);
    await chmod(path, mode);

    expect(() => openAsUser()).toThrow('others may read it');
  });

  test('440 of the process itself is refused: it can change the mode', async () => {
    await chown(path, 65_534, group);
    await chmod(path, 0o440);

    expect(() => openAsUser()).toThrow('others may read it');
  });

  test('E11: 444 is accepted in a container, with a warning', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1');
    await chmod(path, 0o444);
    const warnings: string[] = [];

    expect(openAsUser(warnings).keyIds()).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringContaining('all users of this system may read (mode 444)'),
    ]);
    vi.unstubAllEnvs();
  });

  test.skipIf(existsSync('/.dockerenv') || existsSync('/run/.containerenv'))(
    '444 is refused outside a container (skipped in a container)',
    async () => {
      await chmod(path, 0o444);

      expect(() => openAsUser()).toThrow('others may read it');
    },
  );

  test.skipIf(spawnSync('unshare', ['-m', 'true']).status !== 0)(
    'is accepted on a read-only file system (skipped where none can be mounted)',
    async () => {
      await chmod(path, 0o444);
      const program = `
        const { openKeyring } = await import(${JSON.stringify(new URL('keyring-file.ts', import.meta.url).href)});
        const file = { path: process.argv[1], production: true };
        openKeyring(file, (text) => console.log(text));`;
      const mounted = `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" --input-type=module -e "$3" "$4"`;
      const words = ['-m', 'sh', '-c', mounted, 'sh', folder, process.execPath, program, path];

      const { stdout, status } = spawnSync('unshare', words, { encoding: 'utf8' });

      expect([status, stdout]).toEqual([0, expect.stringContaining('is a mounted secret')]);
    },
  );
});

describe('E04: a rotation by another process', () => {
  test('affects no process: a value under a key that is not loaded yet opens', () => {
    createKeyFile(path);
    const behind = open();
    const id = addActiveKey(path);
    const ahead = open();

    expect(behind.decrypt(ahead.encrypt(secret, place), place).reveal()).toBe('canary');
    expect(behind.isAuthentic(ahead.authenticate('text', 'purpose'), 'text', 'purpose')).toBe(true);
    expect(ahead.activeKeyId()).toBe(id);
  });

  test('changes the key that seals with the next start', () => {
    createKeyFile(path);
    const keyring = open();
    const before = keyring.activeKeyId();
    const id = addActiveKey(path);
    expect(keyring.has(id)).toBe(true);

    expect(keyring.encrypt(secret, place).startsWith(`${before}.`)).toBe(true);
    expect(keyring.keyIds()).toEqual([before, id]);
  });

  test('leaves the loaded keys in use while the file is missing or being edited', async () => {
    createKeyFile(path);
    const keyring = open(true);
    const sealed = keyring.encrypt(secret, place);

    await writeFile(path, 'being repaired');
    expect(keyring.has('00000000')).toBe(false);
    await rm(path);
    expect(keyring.has('00000000')).toBe(false);

    expect(keyring.decrypt(sealed, place).reveal()).toBe('canary');
  });
});
