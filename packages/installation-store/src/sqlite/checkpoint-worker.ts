/**
 * A thread that writes the log of a SQLite database back into the database and truncates it. That waits
 * for the disk, so the event loop of the server must not do it. Answers each message with true, or with
 * false when others prevent it or the disk fails.
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

function checkpoint(): boolean {
  try {
    // First writes back what needs no exclusive lock: this keeps the truncation short.
    database.exec('PRAGMA wal_checkpoint(passive)');
    const row = database.prepare('PRAGMA wal_checkpoint(truncate)').get();
    // The first write afterwards begins a new log and waits for the disk: here, not in the server.
    database.exec('begin immediate; PRAGMA user_version = 1; commit');
    return row?.busy === 0;
  } catch {
    return false;
  }
}

parentPort?.on('message', () => parentPort?.postMessage(checkpoint()));
