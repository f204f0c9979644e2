/**
 * Group commit: transactions that wait for the connection share one commit, and so one sync of the disk.
 * Each keeps its own savepoint: its failure undoes its own work only. No transaction reports success
 * before the shared commit is durable.
 */
import { CompiledQuery, type Kysely, type QueryResult, type Transaction } from 'kysely';
import { StoreError } from '../errors.ts';
import type { SqliteFiles } from './sqlite-files.ts';

type Work<Schema, Result> = (transaction: Transaction<Schema>) => Promise<Result>;

interface Job<Schema> {
  work: Work<Schema, unknown>;
  /** One statement undoes itself when it fails. */
  isOneStatement: boolean;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

type Outcome = { result: unknown } | { error: unknown };

const savepoint = CompiledQuery.raw('savepoint job');
const release = CompiledQuery.raw('release job');
const rollback = CompiledQuery.raw('rollback to job');

const maxJobsPerCommit = 64;
/** A group that takes longer keeps other work of the event loop waiting. */
const maxGroupMs = 3;
/** A group has at least this many jobs, so that work makes progress on a slow machine too. */
const minJobsPerCommit = 4;

export interface GroupCommit<Schema> {
  /** Runs the work in a transaction; durable when this resolves. It must wait for nothing but the database. */
  transaction<Result>(work: Work<Schema, Result>): Promise<Result>;
  /** Runs one statement in a transaction of its own. */
  write(query: CompiledQuery): Promise<QueryResult<unknown>>;
}

export interface GroupCommitOptions<Schema> {
  db: Kysely<Schema>;
  files: Pick<SqliteFiles, 'pass' | 'failure' | 'truncating'>;
  /** Runs a statement on the connection of `db`. */
  execute: (query: CompiledQuery) => Promise<QueryResult<unknown>>;
  /** False when an error such as a full disk has ended the transaction. */
  isInTransaction: () => boolean;
}

/** Creates the group commit of one connection. All its transactions must run through it. */
export function createGroupCommit<Schema>(
  options: GroupCommitOptions<Schema>,
): GroupCommit<Schema> {
  const waiting: Job<Schema>[] = [];
  let isRunning = false;

  function enqueue(work: Work<Schema, unknown>, isOneStatement: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      waiting.push({ work, isOneStatement, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // Jobs that come in the same turn of the event loop share the commit.
      setImmediate(runNextGroup);
    });
  }

  async function runNextGroup(): Promise<void> {
    await options.files.truncating();
    const group = await runGroup(options, waiting);
    void acknowledge(options.files, group);
    isRunning = waiting.length > 0;
    // The event loop gets a turn between two groups, and never inside a transaction.
    if (isRunning) setImmediate(runNextGroup);
  }

  return {
    transaction: <Result>(work: Work<Schema, Result>) => enqueue(work, false) as Promise<Result>,
    write: (query) => enqueue(() => options.execute(query), true) as Promise<QueryResult<unknown>>,
  };
}

/** The jobs of one commit, with their outcomes, or with the error that undid them all. */
interface Group<Schema> {
  jobs: Job<Schema>[];
  outcomes: Outcome[];
  error?: unknown;
}

/** Runs as many of the waiting jobs as fit into one commit. */
async function runGroup<Schema>(
  options: GroupCommitOptions<Schema>,
  waiting: Job<Schema>[],
): Promise<Group<Schema>> {
  const jobs: Job<Schema>[] = [];
  const outcomes: Outcome[] = [];
  try {
    const failure = options.files.failure();
    if (failure) throw notBegun(failure);
    await options.db.transaction().execute(async (transaction) => {
      const startedAt = performance.now();
      while (hasRoom(jobs.length, startedAt)) {
        const job = waiting.shift();
        if (!job) return;
        jobs.push(job);
        outcomes.push(await runJob(options, transaction, job));
      }
    });
    return { jobs, outcomes };
  } catch (error) {
    // The transaction did not begin: all jobs have waited for it.
    if (jobs.length === 0) jobs.push(...waiting.splice(0));
    return { jobs, outcomes, error };
  }
}

/** Only the jobs of an earlier group may be stored. */
function notBegun(cause: StoreError): StoreError {
  const message = `${cause.message} This change was not begun, so it is not stored.`;
  return new StoreError('DATABASE_UNAVAILABLE', message, { cause, isUnwritten: true });
}

function hasRoom(jobs: number, startedAt: number): boolean {
  if (jobs >= maxJobsPerCommit) return false;
  return jobs < minJobsPerCommit || performance.now() - startedAt < maxGroupMs;
}

/**
 * Also a job that only read waits for the disk: it may have read what another process committed and
 * what is not on disk yet.
 */
async function acknowledge<Schema>(
  files: Pick<SqliteFiles, 'pass'>,
  { jobs, outcomes, error: undone }: Group<Schema>,
): Promise<void> {
  try {
    if (undone) throw undone;
    await files.pass();
    for (const [index, { resolve, reject }] of jobs.entries()) {
      const outcome = outcomes[index] as Outcome;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.result);
    }
  } catch (error) {
    for (const { reject } of jobs) reject(error);
  }
}

/** @throws the job's own error when the whole transaction has gone with it. */
async function runJob<Schema>(
  { execute, isInTransaction }: GroupCommitOptions<Schema>,
  transaction: Transaction<Schema>,
  { work, isOneStatement }: Job<Schema>,
): Promise<Outcome> {
  if (!isOneStatement) await execute(savepoint);
  try {
    const result = await work(transaction);
    if (!isOneStatement) await execute(release);
    return { result };
  } catch (error) {
    if (!isInTransaction()) throw error;
    if (!isOneStatement) {
      await execute(rollback);
      await execute(release);
    }
    return { error };
  }
}
