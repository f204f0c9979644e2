/** Runs before the package is packed: the templates ask for this version of our packages, and the tested ones of others. */
import { readFile, writeFile } from 'node:fs/promises';
import { readCatalog } from '../../../scripts/read-catalog.ts';

const folder = new URL('../', import.meta.url);

interface PackageManifest {
  version: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const readManifest = async (path: string) =>
  JSON.parse(await readFile(new URL(path, folder), 'utf8')) as PackageManifest;
const { version } = await readManifest('package.json');
const versionOf = await readCatalog();

for (const template of ['template-node', 'template-react']) {
  const manifest = await readManifest(`${template}/package.json`);
  for (const ranges of [manifest.dependencies, manifest.devDependencies]) {
    for (const name of Object.keys(ranges)) {
      ranges[name] = `^${name.startsWith('@dowel/') ? version : versionOf(name)}`;
    }
  }
  const path = new URL(`${template}/package.json`, folder);
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
