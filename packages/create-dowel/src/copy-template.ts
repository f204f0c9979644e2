import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateError } from './create-error.ts';

export const templates = ['react', 'node'];

/** npm would pack them by another name, or not at all. */
const renamed = { _gitignore: '.gitignore', _dockerignore: '.dockerignore' };

/** What a developer's tools leave in a template. */
const leftOver = ['node_modules', 'dist', 'test-results', '.vitest', '.dowel', '.data'];

/**
 * Copies a template into an empty folder, which is created if there is none. The package gets the folder's name, each
 * entry point a new id.
 *
 * @throws CreateError when the folder is not empty, or cannot be used
 */
export async function copyTemplate(template: string, folder: string): Promise<void> {
  try {
    await makeEmptyFolder(folder);
    await fillFolder(template, folder);
  } catch (cause) {
    if (cause instanceof CreateError) throw cause;
    throw new CreateError(`${folder} cannot be used: ${describeFailure(cause)}.`, { cause });
  }
}

async function makeEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = (await readdir(folder)).filter((name) => name !== '.git');
  if (names.length > 0) {
    throw new CreateError(`${folder} is not empty (${names[0]}): name another folder.`);
  }
}

async function fillFolder(template: string, folder: string): Promise<void> {
  const source = fileURLToPath(new URL(`../template-${template}`, import.meta.url));
  const filter = (path: string) => !leftOver.includes(basename(path));
  await cp(source, folder, { recursive: true, filter });
  for (const [from, to] of Object.entries(renamed)) {
    await rename(join(folder, from), join(folder, to));
  }
  await changeFile(join(folder, 'package.json'), (text) =>
    text.replace(/(?<="name": )"[^"]*"/, JSON.stringify(packageNameOf(basename(folder)))),
  );
  await changeFile(join(folder, 'manifest.json'), (text) =>
    text.replaceAll(/(?<="id": ")[^"]*/g, () => randomUUID()),
  );
}

const words: Record<string, string> = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'the disk is read-only',
  EEXIST: 'a file has this name',
  ENOTDIR: 'a part of the path is a file',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
};

function describeFailure(cause: unknown): string {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return words[code] ?? message;
}

/** Returns a name that npm accepts: `Lunch für Köln` is `lunch-fur-koln`. */
export function packageNameOf(folder: string): string {
  const name = folder
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z\d-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'plugin' : name;
}

async function changeFile(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, 'utf8')));
}
