import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its parents, for its owner only. An existing folder must be writable. Node's recursive
 * mkdir never ends below a folder that accepts none, such as /proc.
 *
 * @throws what node:fs throws: ENOTDIR, EACCES, EROFS, …
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  const missing: string[] = [];
  for (let each = folder; !isFolder(each); each = dirname(each)) missing.unshift(each);
  for (const each of missing) mkdirUnlessThere(each);
  accessSync(folder, constants.W_OK | constants.X_OK);
}

/** @throws ENOTDIR if something else has this name. */
function isFolder(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isDirectory()) {
    throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' });
  }
  return stats !== undefined;
}

/** Another process may create it first. */
function mkdirUnlessThere(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
