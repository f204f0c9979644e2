/**
 * What the emulator remembers from one start to the next: a snapshot in a JSON file. It holds
 * secrets, so nobody but its owner may read it.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { parseSnapshot, type Snapshot, SnapshotError } from '@dowel/emulator';

/** The file cannot be read, used or written; its message is one line that says how to mend it. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
}

/**
 * Resolves with undefined when there is no file. A file that cannot be used is left as it is.
 *
 * @throws StateFileError
 */
export async function readStateFile(path: string, origin: string): Promise<Snapshot | undefined> {
  try {
    return parseSnapshot(await readFile(path, 'utf8'), origin);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new StateFileError(`the state in ${path} cannot be used: ${explain(cause)}`, { cause });
  }
}

function explain(error: unknown): string {
  if (!(error instanceof SnapshotError)) return `reading it fails with ${codeOf(error)}.`;
  const backToItsPort =
    error.code === 'SNAPSHOT_ORIGIN_DIFFERENT' ? 'Set EMULATOR_PORT back, or delete' : 'Delete';
  return `${error.message}. ${backToItsPort} the file to start afresh.`;
}

export interface StateSaver {
  /** Saves soon; changes until then are saved together. */
  schedule(): void;
  /** Saves at once what is not saved yet. */
  close(): Promise<void>;
}

/** Saves one after the other. A failure goes to `onError`, once until a save succeeds again. */
export function createStateSaver(options: {
  path: string;
  snapshot: () => Snapshot;
  onError: (error: StateFileError) => void;
  delayMs?: number;
}): StateSaver {
  const { path, snapshot, onError, delayMs = 100 } = options;
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();
  let isSaved = true;
  let isFailing = false;
  let isClosed = false;

  async function save(): Promise<void> {
    if (isSaved) return;
    isSaved = true;
    try {
      await replaceFile(path, JSON.stringify(snapshot()));
      isFailing = false;
    } catch (cause) {
      isSaved = false;
      if (!isFailing) onError(unwritable(path, cause));
      isFailing = true;
    }
  }

  function saveNow(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    saving = saving.then(save);
    return saving;
  }

  return {
    schedule() {
      if (isClosed) return;
      isSaved = false;
      timer ??= setTimeout(() => void saveNow(), delayMs);
    },
    close() {
      isClosed = true;
      return saveNow();
    },
  };
}

/** A reader, or a crash in the middle, finds the old file or the new one, never a part. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporaryPath = `${path}.tmp`;
  try {
    // One left by a crash would keep its mode.
    await rm(temporaryPath, { force: true });
    await writeFile(temporaryPath, text, { flag: 'wx', mode: 0o600, flush: true });
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    throw error;
  }
}

function unwritable(path: string, cause: unknown): StateFileError {
  const message = `The state cannot be written to ${path} (${codeOf(cause)}): a restart will forget what changes from here on.`;
  return new StateFileError(message, { cause });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
