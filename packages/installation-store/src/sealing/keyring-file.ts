/**
 * The key file: one 32-byte key in base64url a line, the first one seals, all of them open; `#` begins
 * a comment. It is only ever replaced as a whole, so that no reader and no crash sees half of it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describeFileError, makeFolder } from '@dowel/settings';
import { StoreError } from '../errors.ts';
import {
  createEncryptionKey,
  createKeyringFrom,
  describeWeakness,
  type EncryptionKey,
  type Keyring,
  keyBytes,
} from './keyring.ts';

export interface KeyFile {
  path: string;
  /** A file that others may read is refused, unless it is a mounted secret; otherwise its mode is fixed. */
  production: boolean;
}

const header =
  '# The first key seals, all of them open. Keep a copy, apart from the copies of the database.';
const keyLine = /^[A-Za-z0-9_-]{43}$/;
const othersMayRead = 0o077;
const allMayRead = 0o004;
const othersMayChange = 0o033;
/** Files that Docker and Podman put into every container. */
const containerMarks = ['/.dockerenv', '/run/.containerenv'];

/**
 * Reads the key file. It may be a pipe, such as `/dev/fd/3`. A file is read once more for each value that names an
 * unknown key: the keys that were added since then only open, until the process starts again.
 *
 * @example
 * const keyring = openKeyring(settings.keyFile, warn);
 *
 * @param onWarning called when the file is a mounted secret that all users of this system may read.
 * @throws StoreError `KEY_MISSING`, `KEY_UNUSABLE`.
 */
export function openKeyring(file: KeyFile, onWarning?: (message: string) => void): Keyring {
  const { keys, isPipe } = readKeys(file, onWarning);
  return createKeyringFrom(keys, isPipe ? undefined : () => readAgain(file));
}

/** Returns no key while the file is missing or being edited: the loaded keys still open. */
function readAgain(file: KeyFile): readonly EncryptionKey[] {
  try {
    return readKeys(file).keys;
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
}

/** Creates the file with one key. False: a file exists already and is not changed. */
export function createKeyFile(path: string): boolean {
  makeKeyFolder(dirname(path));
  return usable(path, () => {
    const draft = `${path}.${randomUUID()}.new`;
    try {
      writeDurably(draft, `${header}\n${createKeyLine().line}\n`);
      linkSync(draft, path);
      syncFolder(path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

function makeKeyFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new StoreError(
      'KEY_UNUSABLE',
      `The folder ${folder} of the encryption key cannot be used: ${describeFileError(cause)}. Choose another with DOWEL_KEY_FILE.`,
      { cause },
    );
  }
}

/**
 * Puts a key before the others. The caller must prevent concurrent changes of the file.
 *
 * @returns the id of the key.
 */
export function addActiveKey(path: string): string {
  const { id, line } = createKeyLine();
  replaceLines(path, (lines) => {
    const first = lines.findIndex((each) => textOfKey(each) !== '');
    return lines.toSpliced(Math.max(0, first), 0, line);
  });
  return id;
}

/** Removes keys. The caller must prevent concurrent changes of the file. */
export function removeKeys(path: string, ids: readonly string[]): void {
  replaceLines(path, (lines) =>
    lines.filter((each) => {
      const text = textOfKey(each);
      return text === '' || !ids.includes(parseKey(text).id);
    }),
  );
}

function createKeyLine(): { id: string; line: string } {
  const bytes = randomBytes(keyBytes);
  const { id } = createEncryptionKey(bytes);
  const date = new Date().toISOString().slice(0, 10);
  return { id, line: `${bytes.toString('base64url')} # ${id}, made ${date}` };
}

function replaceLines(path: string, edit: (lines: string[]) => string[]): void {
  usable(path, () => {
    const target = realpathSync(path);
    const draft = `${target}.new`;
    rmSync(draft, { force: true });
    try {
      const text = edit(readFileSync(target, 'utf8').split('\n')).join('\n');
      writeDurably(draft, text, statSync(target));
      renameSync(draft, target);
    } finally {
      rmSync(draft, { force: true });
    }
    syncFolder(target);
  });
}

interface FileOwner {
  uid: number;
  gid: number;
}

function writeDurably(path: string, text: string, owner?: FileOwner): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    if (owner) giveTo(owner, descriptor);
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** If root changes the keys of a back end that runs as another user, that user can still read them. */
function giveTo({ uid, gid }: FileOwner, descriptor: number): void {
  const own = fstatSync(descriptor);
  if (own.uid === uid && own.gid === gid) return;
  try {
    fchownSync(descriptor, uid, gid);
  } catch (cause) {
    throw new Error(`it belongs to user ${uid}, group ${gid}: run this as that user`, { cause });
  }
}

/** Makes a file's name durable. Windows has no such call. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(dirname(path), 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readKeys(
  { path, production }: KeyFile,
  onWarning: (message: string) => void = () => {},
): { keys: EncryptionKey[]; isPipe: boolean } {
  return usable(path, () => {
    const descriptor = openSync(path, 'r');
    try {
      const keys = parseKeys(readFileSync(descriptor, 'utf8'));
      // Only after the content was checked: the mode of another file must not change.
      guardMode(descriptor, { path, production }, onWarning);
      return { keys, isPipe: !fstatSync(descriptor).isFile() };
    } finally {
      closeSync(descriptor);
    }
  });
}

function guardMode(
  descriptor: number,
  { path, production }: KeyFile,
  onWarning: (message: string) => void,
): void {
  const stats = fstatSync(descriptor);
  const mode = stats.mode & 0o777;
  if (process.platform === 'win32' || (mode & othersMayRead) === 0) return;
  if (isMountedSecret(path, stats)) {
    const isForAll = (mode & allMayRead) !== 0;
    if (isForAll) {
      onWarning(
        `The encryption key file ${path} is a mounted secret that all users of this system may read (mode ${mode.toString(8)}). Mount it with mode 440 and a group of this process.`,
      );
    }
    return;
  }
  // control E11
  if (production) {
    throw new Error(`others may read it (mode ${mode.toString(8)}). Run: chmod 600 '${path}'`);
  }
  fchmodSync(descriptor, 0o600);
}

/**
 * Whether Kubernetes, Docker or systemd gave the file to this process, which cannot change its mode: it is on a
 * read-only file system; or it is root's, and for a group of this process, or for all in a container.
 */
function isMountedSecret(path: string, { mode, uid, gid }: FileOwner & { mode: number }): boolean {
  if ((mode & othersMayChange) !== 0) return false;
  if (isReadOnly(path)) return true;
  const isOfRoot = uid === 0 && process.geteuid?.() !== 0;
  const isForAll = (mode & allMayRead) !== 0;
  return isOfRoot && (isForAll ? isInContainer() : listGroups().includes(gid));
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

function isInContainer(): boolean {
  return process.env.KUBERNETES_SERVICE_HOST !== undefined || containerMarks.some(existsSync);
}

function listGroups(): number[] {
  const { getegid, getgroups } = process;
  return [...(getgroups?.() ?? []), ...(getegid ? [getegid()] : [])];
}

function parseKeys(text: string): EncryptionKey[] {
  const keys = new Map<string, EncryptionKey>();
  for (const [index, line] of text.split('\n').entries()) {
    const keyText = textOfKey(line);
    if (keyText === '') continue;
    if (!keyLine.test(keyText)) {
      throw new Error(`line ${index + 1} is not a key of 32 bytes in base64url (43 characters)`);
    }
    const key = parseKey(keyText);
    keys.set(key.id, key);
  }
  const [active, ...others] = keys.values();
  if (!active) throw new Error('it holds no key');
  const weakness = describeWeakness(active);
  // control E02
  if (weakness) {
    throw new Error(
      `its first key is not random: ${weakness}. Put a random key on the line before it (32 random bytes in base64url), start again, then run "dowel reencrypt" and "dowel keys prune".`,
    );
  }
  return [active, ...others];
}

/** A line without its comment. */
function textOfKey(line: string): string {
  return line.replace(/#.*/s, '').trim();
}

function parseKey(text: string): EncryptionKey {
  return createEncryptionKey(Buffer.from(text, 'base64url'));
}

function usable<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new StoreError(
        'KEY_MISSING',
        `There is no encryption key at ${path} (DOWEL_KEY_FILE). If there is a database, put its key file back. Before the first start, make a key with "dowel keys create".`,
        { cause },
      );
    }
    throw new StoreError(
      'KEY_UNUSABLE',
      `The encryption key file ${path} cannot be used: ${describeFileError(cause)}`,
      { cause },
    );
  }
}
