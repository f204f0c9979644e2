import { readFileSync } from 'node:fs';

/** The version of this package; '' in a bundle, which has no such file there, or another program's. */
export function readOwnVersion(file = new URL('../../package.json', import.meta.url)): string {
  try {
    const text = readFileSync(file, 'utf8');
    const { name, version } = JSON.parse(text) as { name: string; version: string };
    return name === '@dowel/server' ? version : '';
  } catch {
    return '';
  }
}
