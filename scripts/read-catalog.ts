/** The versions that the workspace is tested with: the catalog of `pnpm-workspace.yaml`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './run-step.ts';

/** Gives the version of a package, or undefined when the catalog does not name it. */
export async function readCatalog(): Promise<(name: string) => string | undefined> {
  const catalog = await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8');
  return (name) => new RegExp(`^ {2}"?${name}"?: "([^"]+)"`, 'm').exec(catalog)?.[1];
}
