/**
 * A thread that reads for the reports. A report may look at many rows, and `node:sqlite` answers in the thread that
 * asks: the event loop of the server must not wait for it.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

export interface ReportRequest {
  id: number;
  sql: string;
  parameters: readonly SQLInputValue[];
}

export interface ReportAnswer {
  id: number;
  rows?: object[];
  failure?: { message: string; errcode: number | undefined };
}

/** How long a statement waits for others, in milliseconds. It holds up reports only. */
const busyTimeoutMs = 5_000;

/** Never creates the file: an operator may be about to put it back. */
const location = pathToFileURL(workerData as string);
location.search = 'mode=rw';
let database: DatabaseSync | undefined;

function open(): DatabaseSync {
  const opened = new DatabaseSync(location, { timeout: busyTimeoutMs });
  // A checkpoint syncs the database, which the thread of the checkpoints does.
  opened.exec('PRAGMA query_only = ON; PRAGMA wal_autocheckpoint = 0');
  return opened;
}

function answer({ id, sql, parameters }: ReportRequest): ReportAnswer {
  try {
    database ??= open();
    return { id, rows: database.prepare(sql).all(...parameters) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    return { id, failure: { message, errcode } };
  }
}

parentPort?.on('message', (request: ReportRequest) => parentPort?.postMessage(answer(request)));
