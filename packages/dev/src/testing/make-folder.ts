import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Makes a temporary folder of a plug-in with these files. It has a blank and a letter that URLs escape. */
export async function makePluginFolder(
  files: Record<string, string>,
): Promise<AsyncDisposable & { path: string }> {
  const parent = await mkdtemp(join(tmpdir(), 'dowel-dev-'));
  const path = join(parent, 'lunch für alle');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }) };
}

/** Saves as many editors do: writes beside the file, and renames. */
export async function saveAtomically(path: string, text: string): Promise<void> {
  await writeFile(`${path}.tmp`, text);
  await rename(`${path}.tmp`, path);
}
