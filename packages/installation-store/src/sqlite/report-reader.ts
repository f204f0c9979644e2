/** Has the reports' statements read by a thread, which is started when the first one comes. */
import { extname } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { CompiledQuery, QueryResult } from 'kysely';
import { StoreError } from '../errors.ts';
import type { ReportAnswer, ReportRequest } from './report-worker.ts';
import { readParameter } from './sqlite-connection.ts';
import { toStoreError } from './sqlite-error.ts';

interface ReaderContext {
  path: string;
  /** The database, for messages. */
  name: string;
  thread: Worker | undefined;
  /** Statements under way, by the ids of their requests. */
  waiting: Map<number, PromiseWithResolvers<QueryResult<unknown>>>;
  lastId: number;
  isClosed: boolean;
}

export interface ReportReader {
  /** @throws StoreError `DATABASE_UNAVAILABLE`, `DATABASE_UNUSABLE` */
  execute(query: CompiledQuery): Promise<QueryResult<unknown>>;
  /** Statements that wait fail. */
  close(): Promise<void>;
}

/** @param name the database, for messages */
export function createReportReader(path: string, name: string): ReportReader {
  const context: ReaderContext = {
    path,
    name,
    thread: undefined,
    waiting: new Map(),
    lastId: 0,
    isClosed: false,
  };
  return {
    execute: (query) => ask(context, query),
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
  const file = new URL(`./report-worker${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(file, { workerData: context.path });
  thread.unref();
  thread.on('message', (answer: ReportAnswer) => settle(context, answer));
  // An error ends the thread; the next report starts another.
  thread.on('error', () => {});
  thread.once('exit', () => {
    context.thread = undefined;
    for (const { reject } of context.waiting.values()) {
      reject(unavailable(context, 'the thread that reads for reports has ended'));
    }
    context.waiting.clear();
  });
  context.thread = thread;
  return thread;
}

function settle(context: ReaderContext, { id, rows, failure }: ReportAnswer): void {
  const answered = context.waiting.get(id);
  context.waiting.delete(id);
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
