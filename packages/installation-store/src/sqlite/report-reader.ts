/** Has the reports' statements read by a thread, which is started when the first one comes. */
import type { SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { CompiledQuery, type QueryResult } from 'kysely';
import { StoreError } from '../errors.ts';
import type { ReportAnswer, ReportRequest } from './report-worker.ts';
import { readParameter } from './sqlite-connection.ts';
import { toStoreError } from './sqlite-error.ts';
import { findWorker } from './worker-file.ts';

interface ReaderContext {
  path: string;
  /** The database, for messages. */
  name: string;
  file: URL;
  thread: Worker | undefined;
  /** Statements under way, by the ids of their requests. */
  waiting: Map<number, PromiseWithResolvers<QueryResult<unknown>>>;
  lastId: number;
  isClosed: boolean;
  /** A thread has ended, and no other has answered since. */
  hasEnded: boolean;
}

export interface ReportReader {
  /** @throws StoreError `DATABASE_UNAVAILABLE`, `DATABASE_UNUSABLE` */
  execute(query: CompiledQuery): Promise<QueryResult<unknown>>;
  /** Starts another thread if one has ended and none has answered since. @throws StoreError `DATABASE_UNAVAILABLE` */
  revive(): Promise<void>;
  /** Statements that wait fail. */
  close(): Promise<void>;
}

/**
 * @param name the database, for messages
 * @param file the program of the thread
 */
export function createReportReader(
  path: string,
  name: string,
  file: URL = findWorker('report-worker'),
): ReportReader {
  const context: ReaderContext = {
    path,
    name,
    file,
    thread: undefined,
    waiting: new Map(),
    lastId: 0,
    isClosed: false,
    hasEnded: false,
  };
  return {
    execute: (query) => ask(context, query),
    async revive() {
      if (context.hasEnded) await ask(context, CompiledQuery.raw('select 1'));
    },
    async close() {
      context.isClosed = true;
      await context.thread?.terminate();
    },
  };
}

function ask(
  context: ReaderContext,
  { sql, parameters }: CompiledQuery,
): Promise<QueryResult<unknown>> {
  if (context.isClosed) return Promise.reject(unavailable(context, 'it is closed'));
  const thread = startThread(context);
  context.lastId += 1;
  const request: ReportRequest = {
    id: context.lastId,
    sql,
    parameters: parameters.map(readParameter) as SQLInputValue[],
  };
  const answered = Promise.withResolvers<QueryResult<unknown>>();
  context.waiting.set(request.id, answered);
  thread.postMessage(request);
  // A process that only waits for a report must not end.
  thread.ref();
  return answered.promise;
}

function startThread(context: ReaderContext): Worker {
  if (context.thread) return context.thread;
  const thread = new Worker(context.file, { workerData: context.path });
  thread.unref();
  thread.on('message', (answer: ReportAnswer) => deliverAnswer(context, answer));
  // An error ends the thread; the next report starts another.
  thread.on('error', () => {});
  thread.once('exit', () => {
    context.thread = undefined;
    context.hasEnded = true;
    for (const { reject } of context.waiting.values()) {
      reject(unavailable(context, 'the thread that reads for reports has ended'));
    }
    context.waiting.clear();
  });
  context.thread = thread;
  return thread;
}

function deliverAnswer(context: ReaderContext, { id, rows, failure }: ReportAnswer): void {
  const answered = context.waiting.get(id);
  context.waiting.delete(id);
  context.hasEnded = false;
  if (context.waiting.size === 0) context.thread?.unref();
  if (failure) answered?.reject(toStoreError(asError(failure), context.name));
  else answered?.resolve({ rows: rows ?? [] });
}

function asError({ message, errcode }: NonNullable<ReportAnswer['failure']>): Error {
  return Object.assign(new Error(message), { errcode });
}

function unavailable({ name }: ReaderContext, why: string): StoreError {
  return new StoreError('DATABASE_UNAVAILABLE', `${name} cannot be used: ${why}`);
}
