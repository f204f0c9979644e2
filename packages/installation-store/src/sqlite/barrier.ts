/**
 * Makes commits durable without blocking the event loop. SQLite writes a commit to its log and does not
 * wait for the disk (`synchronous=NORMAL`); code that acknowledges the commit waits for the barrier.
 */
import { close, fdatasync, openSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { StoreError } from '../errors.ts';

export interface Barrier {
  /**
   * Resolves when everything that was committed before the call is on disk. Callers share a sync.
   *
   * @throws StoreError `DATABASE_UNAVAILABLE` when the disk fails, or when the files were replaced.
   */
  pass(): Promise<void>;
  /** Why nothing can become durable. */
  failure(): StoreError | undefined;
  /** Notices files that were deleted or replaced. Returns the size of the log in bytes. */
  checkFiles(): number;
  /** A sync failed, and the files are still there: a checkpoint can help. */
  isRepairable(): boolean;
  /** To be called when SQLite itself has synced the database after a failure. */
  reset(): void;
  close(): Promise<void>;
}

const syncFile = promisify(fdatasync);
const closeFile = promisify(close);
const statOptions = { bigint: true, throwIfNoEntry: false } as const;

interface Waiting {
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Opens the log of a database that is open: SQLite keeps that file until its last connection closes. It
 * holds locks on the other two files, which would be lost if anybody else opened and closed them.
 *
 * @param name of the database, for messages.
 */
export function openBarrier(path: string, name: string): Barrier {
  const logPath = `${path}-wal`;
  const log = openSync(logPath, 'r+');
  const inodes = readInodes();
  let waiting: Waiting[] = [];
  let syncing: Promise<void> | undefined;
  let diskFailure: StoreError | undefined;
  let loss: StoreError | undefined;

  /** Synchronous: the kernel has both in memory, and a turn of the thread pool costs more. */
  function readInodes() {
    const logNow = statSync(logPath, statOptions);
    const databaseNow = statSync(path, statOptions);
    return { log: logNow?.ino, database: databaseNow?.ino, logBytes: Number(logNow?.size ?? 0) };
  }

  function checkFiles(): number {
    const current = readInodes();
    if (current.log !== inodes.log || current.database !== inodes.database) {
      loss ??= new StoreError(
        'DATABASE_UNAVAILABLE',
        `${name} was deleted or replaced while it was in use, so nothing can be stored. Stop Dowel, put the file back, and start Dowel again.`,
      );
    }
    return current.logBytes;
  }

  async function sync(): Promise<void> {
    if (!diskFailure) {
      try {
        await syncFile(log);
      } catch (cause) {
        // A later sync that succeeds does not prove that it wrote what this one lost.
        const message = `${name} cannot be used: the disk failed (${(cause as Error).message}). It is unknown whether the last changes are stored.`;
        diskFailure = new StoreError('DATABASE_UNAVAILABLE', message, { cause });
      }
    }
    checkFiles();
    const failure = loss ?? diskFailure;
    if (failure) throw failure;
  }

  /** A sync counts only for callers that came before it began. */
  async function syncForAll(): Promise<void> {
    while (waiting.length > 0) {
      const callers = waiting;
      waiting = [];
      try {
        await sync();
        for (const { resolve } of callers) resolve();
      } catch (error) {
        for (const { reject } of callers) reject(error);
      }
    }
    syncing = undefined;
  }

  return {
    pass: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        syncing ??= syncForAll();
      }),
    failure: () => loss ?? diskFailure,
    checkFiles,
    isRepairable: () => diskFailure !== undefined && loss === undefined,
    reset() {
      diskFailure = undefined;
    },
    async close() {
      await syncing;
      await closeFile(log);
    },
  };
}
