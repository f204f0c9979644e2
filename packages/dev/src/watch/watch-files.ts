/** Watches the author's folder. chokidar also sees a file that an editor wrote beside and renamed. */
import { statSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { watch } from 'chokidar';

/** Files of these kinds are read by back ends. */
const ofBackEnds = /\.(?:[cm]?[jt]s|json|py|rb|php|go|env)$|^\.env$/;
const ofOthers =
  /(?:\.(?:test|spec|d)\.\w+|^vite\.config\.\w+|^package-lock\.json|^tsconfig.*\.json)$/;
const unwatched = /^(?:node_modules|dist|coverage|\.(?!env$).+)$/;
/** Saves that belong together, such as those of "save all". */
const gatherMs = 40;
/** chokidar misses a file that replaces another right after a change, so each changed path is read once more. */
const lookAgainMs = 300;

/**
 * Calls `onChange` with the paths that have changed together, until it is closed. Resolves when no change is missed any
 * more.
 */
export async function watchFiles(
  root: string,
  onChange: (paths: ReadonlySet<string>) => void,
): Promise<{ close(): Promise<void> }> {
  let paths = new Set<string>();
  let isClosed = false;
  const reported = new Map<string, string>();
  const after = (ms: number, work: () => void) => setTimeout(() => isClosed || work(), ms);
  const note = (path: string) => {
    if (reported.get(path) === versionOf(path)) return;
    if (paths.size === 0) after(gatherMs, report);
    paths.add(path);
  };
  const report = () => {
    const changed = paths;
    paths = new Set();
    for (const path of changed) reported.set(path, versionOf(path));
    after(lookAgainMs, () => changed.forEach(note));
    onChange(changed);
  };
  const watcher = watch(root, {
    ignoreInitial: true,
    ignored: (path) => relative(root, path) !== '' && unwatched.test(basename(path)),
  });
  watcher.on('all', (event, path) => {
    if (['add', 'change', 'unlink'].includes(event) && isOfBackEnd(path)) note(path);
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return {
    close() {
      isClosed = true;
      return watcher.close();
    },
  };
}

/** '' without such a file. */
function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
}

function isOfBackEnd(path: string): boolean {
  const name = basename(path);
  return ofBackEnds.test(name) && !ofOthers.test(name);
}
