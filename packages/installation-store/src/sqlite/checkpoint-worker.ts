/**
 * A thread that writes the log of a SQLite database back into the database and truncates it. That waits
 * for the disk, so the event loop of the server must not do it. Answers each {@link Task} with true, or
 * with false when others prevent it or the disk fails.
 */
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** How long a truncation waits for others that read or write, in milliseconds. */
const busyTimeoutMs = 250;

/** Never creates the file: an operator may be about to put it back. */
const location = pathToFileURL(workerData as string);
location.search = 'mode=rw';
const database = new DatabaseSync(location, { timeout: busyTimeoutMs });
database.exec('PRAGMA wal_autocheckpoint = 0');

/** `write back` needs no exclusive lock. It keeps the truncation short, which does. */
export type Task = 'write back' | 'truncate';

const tasks: Record<Task, () => boolean> = {
  'write back'() {
    database.exec('PRAGMA wal_checkpoint(passive)');
    return true;
  },
  truncate() {
    const row = database.prepare('PRAGMA wal_checkpoint(truncate)').get();
    // The first write afterwards begins a new log and waits for the disk: here, not in the server.
    database.exec('begin immediate; PRAGMA user_version = 1; commit');
    return row?.busy === 0;
  },
};

function run(task: Task): boolean {
  try {
    return tasks[task]();
  } catch {
    return false;
  }
}

parentPort?.on('message', (task: Task) => parentPort?.postMessage(run(task)));
