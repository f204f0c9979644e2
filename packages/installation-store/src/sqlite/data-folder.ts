/** The folder of a SQLite database, which usually holds the key file as well. */
import { accessSync, closeSync, constants, existsSync, openSync, realpathSync } from 'node:fs';
import { describeFileError, makeFolder } from '@dowel/settings';
import { StoreError } from '../errors.ts';

/** @throws StoreError `DATABASE_UNUSABLE` that names the folder and the setting. */
export function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `The data folder ${folder} cannot be used: ${describeFileError(cause)}. Choose another with DOWEL_DATA_DIR.`,
      { cause },
    );
  }
}

/**
 * Creates the file for its own user only, under any umask. SQLite gives its log and its index the same mode. A
 * folder that takes no file is reported when SQLite opens the database.
 */
export function createPrivateFile(path: string): void {
  if (path === ':memory:' || existsSync(path)) return;
  try {
    // Follows a symbolic link whose target does not exist yet.
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // The folder cannot be written.
  }
}

/** SQLite keeps its log beside the file itself, not beside a symbolic link to it. */
export function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It does not exist. SQLite will say why.
    return path;
  }
}

/**
 * SQLite would open a file that it may not write, and each write would fail later.
 *
 * @throws StoreError `DATABASE_UNUSABLE` that names the file.
 */
export function assertWritable(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw new StoreError(
        'DATABASE_UNUSABLE',
        `The database file ${file} cannot be read and written: ${describeFileError(cause)}. Let this user write it, or choose another folder with DOWEL_DATA_DIR.`,
        { cause },
      );
    }
  }
}
