import { rename, rm, writeFile } from 'node:fs/promises';

/** Writes a file that only its owner may read. A reader or a crash always finds a complete file, the old or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporaryPath = `${path}.tmp`;
  try {
    // A file left by a crash would keep its mode.
    await rm(temporaryPath, { force: true });
    await writeFile(temporaryPath, text, { flag: 'wx', mode: 0o600, flush: true });
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    throw error;
  }
}
