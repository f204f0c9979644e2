/** The files of one SQLite database: its connections, and what keeps them durable, small and present. */
import { dirname } from 'node:path';
import { StoreError } from '../errors.ts';
import { type Barrier, openBarrier } from './barrier.ts';
import {
  type Checkpointer,
  type CheckpointObservation,
  createCheckpointer,
} from './checkpointer.ts';
import { assertWritable, createPrivateFile, makeDataFolder } from './data-folder.ts';
import {
  configureReader,
  configureWriter,
  openConnection,
  type SqliteConnection,
} from './sqlite-connection.ts';

/** How often the files are looked at, in milliseconds. */
const watchMs = 250;

export interface SqliteFiles
  extends Pick<Barrier, 'pass' | 'failure'>,
    Pick<Checkpointer, 'truncating'> {
  /** The database, for messages. */
  name: string;
  writer: SqliteConnection;
  reader: SqliteConnection;
  /** Prepares the connections. Runs once, and again after a failure. */
  init: () => Promise<void>;
  /** Secrets were deleted: the log must soon hold no copy. */
  erased: () => void;
  /** Everything but the connections. */
  close(): Promise<void>;
}

/** @throws StoreError `DATABASE_UNUSABLE` */
export function openFiles(
  path: string,
  observe: (observation: CheckpointObservation) => void,
): SqliteFiles {
  makeDataFolder(dirname(path));
  assertWritable(path);
  createPrivateFile(path);
  const writer = connect(path);
  const reader = connect(path);
  const checkpointer = createCheckpointer(path, observe);
  let opening: Promise<Barrier> | undefined;
  let barrier: Barrier | undefined;
  let watching: NodeJS.Timeout | undefined;
  let isRepairing = false;

  async function open(): Promise<Barrier> {
    await writer.untilNotBusy(() => configureWriter(writer));
    await reader.untilNotBusy(() => configureReader(reader));
    barrier = openBarrier(path, writer.name);
    watching = setInterval(() => void watch().catch(() => {}), watchMs).unref();
    return barrier;
  }

  async function watch(): Promise<void> {
    if (!barrier) return;
    void checkpointer.watch(barrier.checkFiles());
    if (barrier.isRepairable() && !isRepairing) await repair(barrier);
  }

  /** A checkpoint syncs the whole database, and so repairs what a failed sync of the log has lost. */
  async function repair(failed: Barrier): Promise<void> {
    isRepairing = true;
    const isDone = await checkpointer.sync();
    isRepairing = false;
    if (isDone) failed.reset();
  }

  return {
    name: writer.name,
    writer,
    reader,
    async init() {
      opening ??= open();
      try {
        await opening;
      } catch (error) {
        opening = undefined;
        throw error;
      }
    },
    // Nothing is acknowledged without a barrier.
    async pass() {
      if (!barrier) throw new StoreError('DATABASE_UNAVAILABLE', `${writer.name} is closed.`);
      await barrier.pass();
    },
    failure: () => barrier?.failure(),
    erased: checkpointer.erase,
    truncating: checkpointer.truncating,
    async close() {
      clearInterval(watching);
      const mustErase = await checkpointer.stop();
      const closing = barrier;
      barrier = undefined;
      await closing?.close();
      if (mustErase) writer.database.exec('PRAGMA wal_checkpoint(truncate)');
    },
  };
}

function connect(path: string): SqliteConnection {
  try {
    return openConnection(path);
  } catch (cause) {
    const message = `The database ${path} cannot be opened: ${(cause as Error).message}`;
    throw new StoreError('DATABASE_UNUSABLE', message, { cause });
  }
}
