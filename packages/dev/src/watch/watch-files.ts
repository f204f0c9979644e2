/** Watches the author's folder. chokidar also sees a file that an editor wrote beside and renamed. */
import { basename, relative } from 'node:path';
import { watch } from 'chokidar';

/** Files of these kinds are read by back ends. */
const ofBackEnds = /\.(?:[cm]?[jt]s|json|py|rb|php|go|env)$|^\.env$/;
const ofOthers =
  /(?:\.(?:test|spec|d)\.\w+|^vite\.config\.\w+|^package-lock\.json|^tsconfig.*\.json)$/;
const unwatched = /^(?:node_modules|dist|coverage|\.(?!env$).+)$/;
/** Saves that belong together, such as those of "save all". */
const gatherMs = 40;

/**
 * Calls `onChange` with the paths that have changed together, until it is closed. Resolves when no change is missed any
 * more.
 */
export async function watchFiles(
  root: string,
  onChange: (paths: ReadonlySet<string>) => void,
): Promise<{ close(): Promise<void> }> {
  let paths = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(root, {
    ignoreInitial: true,
    ignored: (path) => relative(root, path) !== '' && unwatched.test(basename(path)),
  });
  watcher.on('all', (event, path) => {
    if (!['add', 'change', 'unlink'].includes(event) || !isOfBackEnd(path)) return;
    paths.add(path);
    timer ??= setTimeout(() => {
      timer = undefined;
      onChange(paths);
      paths = new Set();
    }, gatherMs);
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return {
    close() {
      clearTimeout(timer);
      return watcher.close();
    },
  };
}

function isOfBackEnd(path: string): boolean {
  const name = basename(path);
  return ofBackEnds.test(name) && !ofOthers.test(name);
}
