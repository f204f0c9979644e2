import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type Manifest,
  type ManifestProblem,
  type ManifestWarning,
  parseManifest,
} from '@dowel/schema';
import { describeFileError } from '@dowel/settings';
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
  const read = await readText(path);
  if (read === undefined) return undefined;
  if ('problem' in read) {
    say('manifest', `${basename(path)} cannot be read: ${read.problem}.`, { level: 'error' });
    return 'broken';
  }
  const parsed = parseManifest(read.text, url);
  const tell = (level: 'warn' | 'error') => (each: ManifestProblem | ManifestWarning) => {
    const kind = level === 'warn' ? 'warning' : 'error';
    const where = each.pointer && ` at ${each.pointer}`;
    const place = `${basename(path)}:${each.line}:${each.column}`;
    say('manifest', `${place} ${kind}${where}: ${each.message} ${each.fix}`, { level });
  };
  parsed.warnings.forEach(tell('warn'));
  if (parsed.ok) return parsed.manifest;
  parsed.problems.forEach(tell('error'));
  return 'broken';
}

/** Keeps a byte order mark, which is a problem of the manifest. */
async function readText(path: string): Promise<{ text: string } | { problem: string } | undefined> {
  try {
    const bytes = await readFile(path);
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const isNoText = code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
    return { problem: isNoText ? 'it is not UTF-8 text' : describeFileError(error) };
  }
}
