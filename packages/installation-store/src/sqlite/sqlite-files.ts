/** The files of one SQLite database: its connections, and what keeps them durable, small and present. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../errors.ts';
import { type Barrier, logPath, openBarrier } from './barrier.ts';
import {
  type Checkpointer,
  type CheckpointObservation,
  createCheckpointer,
} from './checkpointer.ts';
import { assertWritable, createPrivateFile, makeDataFolder, withoutLinks } from './data-folder.ts';
import {
  configureReader,
  configureWriter,
  openConnection,
  type SqliteConnection,
} from './sqlite-connection.ts';
import { toStoreError } from './sqlite-error.ts';
import { assertWorkers } from './worker-file.ts';

/** How often the files are looked at, in milliseconds. */
const watchMs = 250;
/** How often a close tries to remove deleted secrets, and the pause between two tries, in milliseconds. */
const eraseTries = 10;
const erasePauseMs = 50;

export interface SqliteFiles
  extends Pick<Barrier, 'pass' | 'failure'>,
    Pick<Checkpointer, 'truncating' | 'revive'> {
  /** The database, for messages. */
  name: string;
  writer: SqliteConnection;
  reader: SqliteConnection;
  /** True if a log existed: a process was killed, or another one runs. A clean end removes it. */
  wasLeftOpen: boolean;
  /** Prepares the connections. Runs once, and again after a failure. */
  init: () => Promise<void>;
  /** Secrets were deleted: the log must soon hold no copy. */
  erased: () => void;
  /**
   * Everything but the connections.
   *
   * @throws StoreError `DATABASE_UNAVAILABLE` when the log still holds deleted secrets. The next start removes them.
   */
  close(): Promise<void>;
}

interface FilesContext {
  readonly path: string;
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
  readonly checkpointer: Checkpointer;
  opening: Promise<Barrier> | undefined;
  barrier: Barrier | undefined;
  watching: NodeJS.Timeout | undefined;
  isRepairing: boolean;
}

/** @throws StoreError `DATABASE_UNUSABLE` */
export function openFiles(
  location: string,
  observe: (observation: CheckpointObservation) => void,
): SqliteFiles {
  assertWorkers();
  makeDataFolder(dirname(location));
  createPrivateFile(location);
  const path = withoutLinks(location);
  assertWritable(path);
  const wasLeftOpen = existsSync(logPath(path));
  const context: FilesContext = {
    path,
    writer: connect(path),
    reader: connect(path),
    checkpointer: createCheckpointer(path, observe),
    opening: undefined,
    barrier: undefined,
    watching: undefined,
    isRepairing: false,
  };
  const { writer, reader, checkpointer } = context;
  return {
    name: writer.name,
    writer,
    reader,
    wasLeftOpen,
    init: () => init(context),
    pass: () => pass(context),
    failure: () => context.barrier?.failure(),
    erased: checkpointer.erase,
    truncating: checkpointer.truncating,
    revive: checkpointer.revive,
    close: () => close(context),
  };
}

async function init(context: FilesContext): Promise<void> {
  context.opening ??= open(context);
  try {
    await context.opening;
  } catch (error) {
    context.opening = undefined;
    throw error;
  }
}

async function open(context: FilesContext): Promise<Barrier> {
  const { path, writer, reader } = context;
  await writer.untilNotBusy(() => configureWriter(writer));
  await reader.untilNotBusy(() => configureReader(reader));
  context.barrier = openBarrier(path, writer.name);
  context.watching = setInterval(() => void watch(context).catch(() => {}), watchMs).unref();
  return context.barrier;
}

async function watch(context: FilesContext): Promise<void> {
  const { barrier, checkpointer, isRepairing } = context;
  if (!barrier) return;
  void checkpointer.watch(barrier.checkFiles());
  if (barrier.isRepairable() && !isRepairing) await repair(context, barrier);
}

/** A checkpoint syncs the whole database, and so repairs what a failed sync of the log has lost. */
async function repair(context: FilesContext, failed: Barrier): Promise<void> {
  context.isRepairing = true;
  try {
    if (await context.checkpointer.sync()) failed.reset();
  } finally {
    context.isRepairing = false;
  }
}

/** Nothing is acknowledged without a barrier. */
async function pass({ barrier, writer }: FilesContext): Promise<void> {
  if (!barrier) throw new StoreError('DATABASE_UNAVAILABLE', `${writer.name} is closed.`);
  await barrier.pass();
}

async function close(context: FilesContext): Promise<void> {
  const { watching, checkpointer, writer } = context;
  clearInterval(watching);
  const mustErase = await checkpointer.stop();
  const closing = context.barrier;
  context.barrier = undefined;
  await closing?.close();
  if (mustErase) await eraseNow(writer);
}

async function eraseNow({ database, name }: SqliteConnection): Promise<void> {
  for (let tries = 0; tries < eraseTries; tries += 1) {
    if (tries > 0) await sleep(erasePauseMs);
    if (truncateLog(database, name)) return;
  }
  throw new StoreError(
    'DATABASE_UNAVAILABLE',
    `${name} is closed, but its log may still hold deleted secrets: others read or write all the time. The next start removes them.`,
    { reason: 'database_busy' },
  );
}

/** False: others read or write. SQLite does not report that as an error. */
function truncateLog(database: DatabaseSync, name: string): boolean {
  try {
    return database.prepare('PRAGMA wal_checkpoint(truncate)').get()?.busy === 0;
  } catch (error) {
    throw toStoreError(error, name);
  }
}

function connect(path: string): SqliteConnection {
  try {
    return openConnection(path);
  } catch (cause) {
    const message = `The database ${path} cannot be opened: ${(cause as Error).message}`;
    throw new StoreError('DATABASE_UNUSABLE', message, { cause });
  }
}
