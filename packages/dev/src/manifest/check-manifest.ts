import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type Manifest,
  type ManifestProblem,
  type ManifestWarning,
  parseManifest,
} from '@dowel/schema';
import type { Say } from '../dev-line.ts';

/**
 * Reads the manifest's file and says each problem and warning, in a form that terminals show as a link.
 *
 * @param url where the platform reads it.
 * @returns the manifest; `broken`, when it cannot be used; undefined, when there is no file: then it is in the program.
 */
export async function checkManifest(
  path: string,
  { url, say }: { url: string; say: Say },
): Promise<Manifest | 'broken' | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const parsed = parseManifest(text, url);
  const tell = (level: 'warn' | 'error') => (each: ManifestProblem | ManifestWarning) =>
    say(
      'manifest',
      `${basename(path)}:${each.line}:${each.column} ${each.pointer} ${each.message} ${each.fix}`,
      { level },
    );
  parsed.warnings.forEach(tell('warn'));
  if (parsed.ok) return parsed.manifest;
  parsed.problems.forEach(tell('error'));
  return 'broken';
}
