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

interface BarrierContext {
  /** The path of the database. */
  path: string;
  /** The name of the database, for messages. */
  name: string;
  /** The file descriptor of the log. */
  log: number;
  /** The files that were opened. */
  opened: FileState;
  waiting: Waiting[];
  syncing: Promise<void> | undefined;
  diskFailure: StoreError | undefined;
  /** The files were deleted or replaced. */
  loss: StoreError | undefined;
}

/**
 * Opens the log of a database that is open: SQLite keeps that file until its last connection closes. It holds
 * locks on the other two files, which would be lost if other code opened and closed them.
 *
 * @param name of the database, for messages.
 */
export function openBarrier(path: string, name: string): Barrier {
  const context: BarrierContext = {
    path,
    name,
    log: openSync(logPath(path), 'r+'),
    opened: readFiles(path),
    waiting: [],
    syncing: undefined,
    diskFailure: undefined,
    loss: undefined,
  };
  return {
    pass: () => pass(context),
    failure: () => failureOf(context),
    checkFiles: () => checkFiles(context),
    isRepairable: () => context.diskFailure !== undefined && context.loss === undefined,
    reset() {
      context.diskFailure = undefined;
    },
    async close() {
      await context.syncing;
      await closeFile(context.log);
    },
  };
}

export function logPath(path: string): string {
  return `${path}-wal`;
}

interface FileState {
  /** The inodes. Undefined: there is no such file. */
  log: bigint | undefined;
  database: bigint | undefined;
  logBytes: number;
}

/** Synchronous: the kernel has both in memory, and a turn of the thread pool costs more. */
function readFiles(path: string): FileState {
  const log = statSync(logPath(path), statOptions);
  const database = statSync(path, statOptions);
  return { log: log?.ino, database: database?.ino, logBytes: Number(log?.size ?? 0) };
}

function failureOf({ loss, diskFailure }: BarrierContext): StoreError | undefined {
  return loss ?? diskFailure;
}

function checkFiles(context: BarrierContext): number {
  const { path, name, opened } = context;
  const current = readFiles(path);
  if (current.log !== opened.log || current.database !== opened.database) {
    context.loss ??= new StoreError(
      'DATABASE_UNAVAILABLE',
      `${name} was deleted or replaced while it was in use, so nothing can be stored. Stop Dowel, put the file back, and start Dowel again.`,
    );
  }
  return current.logBytes;
}

function pass(context: BarrierContext): Promise<void> {
  return new Promise((resolve, reject) => {
    context.waiting.push({ resolve, reject });
    context.syncing ??= syncForAll(context);
  });
}

/** A sync counts only for callers that came before it began. */
async function syncForAll(context: BarrierContext): Promise<void> {
  while (context.waiting.length > 0) {
    const callers = context.waiting;
    context.waiting = [];
    try {
      await sync(context);
      for (const { resolve } of callers) resolve();
    } catch (error) {
      for (const { reject } of callers) reject(error);
    }
  }
  context.syncing = undefined;
}

async function sync(context: BarrierContext): Promise<void> {
  if (!context.diskFailure) {
    try {
      // control D9
      await syncFile(context.log);
    } catch (cause) {
      // A later sync that succeeds does not prove that it wrote what this one lost.
      const message = `${context.name} cannot be used: the disk failed (${(cause as Error).message}). It is unknown whether the last changes are stored.`;
      context.diskFailure = new StoreError('DATABASE_UNAVAILABLE', message, { cause });
    }
  }
  checkFiles(context);
  const failure = failureOf(context);
  if (failure) throw failure;
}
