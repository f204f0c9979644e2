import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const signs = ['index.html', ...['ts', 'mts', 'js', 'mjs'].map((end) => `vite.config.${end}`)];

/** Returns the URL of the author's own Vite; undefined, when the folder has no page that Vite builds. */
export function findVite(root: string): URL | 'missing' | undefined {
  if (!signs.some((name) => existsSync(join(root, name)))) return undefined;
  try {
    const path = createRequire(join(root, 'package.json')).resolve('vite');
    return pathToFileURL(path);
  } catch {
    return 'missing';
  }
}
