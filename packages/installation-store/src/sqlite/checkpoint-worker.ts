/**
 * A thread that writes the log of a SQLite database back into the database and truncates it. That waits
 * for the disk, so the event loop of the server must not do it. Answers each {@link Task} with undefined, or
 * with the reason why it failed: others prevent it, or the disk fails.
 */
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** How long a truncation waits for others that read or write, in milliseconds. Meanwhile nobody can write. */
const busyTimeoutMs = 20;

/** Never creates the file: an operator may be about to put it back. */
const location = pathToFileURL(workerData as string);
location.search = 'mode=rw';
const database = connect();
/**
 * Reads from the beginning of `write back` until `truncate`. Without a reader, the first write of the server after
 * the whole log was written back would begin a new log, and wait for the disk.
 */
const reader = connect();

/** `write back` needs no exclusive lock. It keeps the truncation short, which does. */
export type Task = 'write back' | 'truncate';

const tasks: Record<Task, () => string | undefined> = {
  'write back'() {
    reader.exec('begin');
    reader.prepare('select 1 from sqlite_schema').get();
    database.exec('PRAGMA wal_checkpoint(passive)');
    return undefined;
  },
  truncate() {
    endReading();
    const row = database.prepare('PRAGMA wal_checkpoint(truncate)').get();
    // The first write afterwards begins a new log and waits for the disk: here, not in the server.
    database.exec('begin immediate; PRAGMA user_version = 1; commit');
    return row?.busy === 0 ? undefined : 'others read or write all the time';
  },
};

function connect(): DatabaseSync {
  const connection = new DatabaseSync(location, { timeout: busyTimeoutMs });
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  return connection;
}

function endReading(): void {
  if (reader.isTransaction) reader.exec('rollback');
}

function run(task: Task): string | undefined {
  try {
    return tasks[task]();
  } catch (error) {
    endReading();
    return (error as Error).message;
  }
}

parentPort?.on('message', (task: Task) => parentPort?.postMessage(run(task)));
