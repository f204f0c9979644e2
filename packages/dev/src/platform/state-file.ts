/**
 * Keeps the emulator's state between starts: a snapshot in a JSON file. It contains secrets, so only its
 * owner may read it.
 */
import { access, constants, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseSnapshot, type Snapshot, SnapshotError } from '@dowel/emulator';
import { describeFileError } from '@dowel/settings';
import { replaceFile } from '../replace-file.ts';

/** The file cannot be read, used or written. The message is one line that says how to fix it. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
}

/**
 * Resolves with undefined when the file does not exist. A file that cannot be used is not changed.
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

/**
 * The folder of the state's file exists, and this user may write to it.
 *
 * @throws StateFileError
 */
export async function assertSavable(path: string): Promise<void> {
  try {
    await access(dirname(path), constants.W_OK);
  } catch (cause) {
    const problem = `the state cannot be saved to ${path}: its folder cannot be used, ${describeFileError(cause)}`;
    throw new StateFileError(`${problem}. Choose another file with EMULATOR_STATE.`, { cause });
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
  /** Saves pending changes at once. */
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

function unwritable(path: string, cause: unknown): StateFileError {
  const message = `The state cannot be written to ${path} (${codeOf(cause)}): a restart will forget what changes from here on.`;
  return new StateFileError(message, { cause });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
