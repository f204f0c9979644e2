/** The versions that the workspace is tested with: the catalog of `pnpm-workspace.yaml`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './run-step.ts';

/** Returns a function: the version of a package, or undefined if the catalog does not contain it. */
export async function readCatalog(): Promise<(name: string) => string | undefined> {
  const catalog = await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8');
  return (name) => new RegExp(`^ {2}"?${name}"?: "([^"]+)"`, 'm').exec(catalog)?.[1];
}
