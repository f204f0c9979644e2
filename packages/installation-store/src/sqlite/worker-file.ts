/** Finds the files of the threads. They are beside this file, or beside the bundle that contains it. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreError } from '../errors.ts';

const names = ['checkpoint-worker', 'report-worker'] as const;

export function findWorker(name: (typeof names)[number]): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./${name}.${extension}`, import.meta.url);
}

/** @throws StoreError `DATABASE_UNUSABLE` if this file was bundled without those of the threads. */
export function assertWorkers(): void {
  const wholePackage =
    'or leave @dowel/installation-store out of the bundle (external), so that it is loaded from node_modules';
  // A bundle for CommonJS has no import.meta.url.
  if (!URL.canParse('.', import.meta.url)) {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `SQLite needs threads, whose files a bundle for CommonJS cannot find: bundle as an ES module, ${wholePackage}.`,
    );
  }
  const missing = names
    .map((name) => fileURLToPath(findWorker(name)))
    .filter((path) => !existsSync(path));
  if (missing.length === 0) return;
  throw new StoreError(
    'DATABASE_UNUSABLE',
    `SQLite needs threads, whose files are missing: ${missing.join(', ')}. Copy ${missing.map((path) => basename(path)).join(' and ')} from node_modules/@dowel/installation-store/lib/sqlite there, ${wholePackage}.`,
  );
}
