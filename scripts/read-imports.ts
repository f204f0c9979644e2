/** The source files of the workspaces, and which files each of them imports. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run-step.ts';

export interface Import {
  /** The path in the source: `./store.ts`, `@dowel/http`. */
  path: string;
  /** False for `import type` and `export type`: nothing is loaded. */
  isRuntime: boolean;
}

/** The folders with source files, one per package and app, and `proof`. */
export function listSources(): string[] {
  return [...listFiles('{packages,apps}/*/src'), 'proof'];
}

/** The files in `folder` and below it, without tests and their helpers. */
export function listProduct(folder: string): string[] {
  return listFiles(`${folder}/**/*.{ts,tsx,js,mjs}`).filter(
    (file) => !/\.test\.tsx?$/.test(file) && !/\/testing\//.test(file.slice(folder.length)),
  );
}

/** Paths from the root of the repository, sorted. */
export function listFiles(pattern: string): string[] {
  const exclude = ['**/node_modules/**', '**/dist/**'];
  return globSync(pattern, { cwd: root, exclude }).sort();
}

/** Static imports, re-exports and `import()`; examples in comments do not count. */
export function readImports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const pattern = /^(?:im|ex)port (type\b)?(?:[^'";]* from )?'([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...text.matchAll(pattern)].map(([, type, path, loaded]) => ({
    path: path ?? loaded ?? '',
    isRuntime: type === undefined,
  }));
}

/** The file that `file` names with a relative path. Undefined: the path names a package. */
export function resolveImport(file: string, path: string): string | undefined {
  return path.startsWith('.') ? join(dirname(file), path) : undefined;
}
