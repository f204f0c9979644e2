/** Dowel's packages from tarballs, before they are published, or to try changed ones. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateError } from './create-error.ts';
import type { PackageManager } from './package-manager.ts';

interface PackageManifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  overrides?: Record<string, string>;
  resolutions?: Record<string, string>;
}

/**
 * Names the tarballs in `package.json`: those that the plug-in needs itself as ranges, the rest as overrides.
 *
 * @param options.tarballs of all packages, as `listTarballs` returns them
 * @throws CreateError when a needed tarball is not there
 */
export async function takeTarballs(
  folder: string,
  { tarballs, manager }: { tarballs: ReadonlyMap<string, string>; manager: PackageManager },
): Promise<void> {
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as PackageManifest;
  const direct = new Set<string>();
  for (const ranges of [manifest.dependencies, manifest.devDependencies]) {
    for (const name of Object.keys(ranges).filter((each) => each.startsWith('@dowel/'))) {
      const file = tarballs.get(name);
      if (!file) throw new CreateError(`--packages: there is no tarball of ${name}.`);
      ranges[name] = file;
      direct.add(name);
    }
  }
  const all = [...tarballs];
  const indirect = Object.fromEntries(all.filter(([name]) => !direct.has(name)));
  if (manager === 'npm') manifest.overrides = indirect;
  if (manager === 'yarn') manifest.resolutions = Object.fromEntries(all);
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
  if (manager !== 'pnpm') return;
  const lines = all.map(([name, file]) => `  ${JSON.stringify(name)}: ${JSON.stringify(file)}\n`);
  await writeFile(join(folder, 'pnpm-workspace.yaml'), `overrides:\n${lines.join('')}`);
}

/**
 * Returns `file:…` by the name of the package: `@dowel/server` from `dowel-server-0.1.0.tgz`.
 *
 * @throws CreateError when there is none
 */
export async function listTarballs(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder).catch((cause: Error) => {
    throw new CreateError(`--packages: ${cause.message}`, { cause });
  });
  const found = new Map(
    names.flatMap((name) => {
      const [, short] = /^dowel-(.+?)-\d[^/]*\.tgz$/.exec(name) ?? [];
      return short ? [[`@dowel/${short}`, `file:${join(folder, name)}`] as const] : [];
    }),
  );
  if (found.size === 0) throw new CreateError(`--packages: there is no tarball in ${folder}.`);
  return found;
}
