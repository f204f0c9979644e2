/**
 * Group commit: transactions that wait for the connection share one commit, and so one fsync. Each has its
 * own savepoint, so its failure undoes only its own work. No transaction reports success before the shared
 * commit is durable.
 */
import { type Kysely, sql, type Transaction } from 'kysely';

interface Job<Schema> {
  work: (transaction: Transaction<Schema>) => Promise<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

type Outcome = { result: unknown } | { error: unknown };

const maxJobsPerCommit = 64;

export function createGroupCommit<Schema>(db: Kysely<Schema>) {
  const waiting: Job<Schema>[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) await runTogether(waiting.splice(0, maxJobsPerCommit));
    isRunning = false;
  }

  async function runTogether(jobs: Job<Schema>[]): Promise<void> {
    try {
      const outcomes = await db.transaction().execute(async (transaction) => {
        const each: Outcome[] = [];
        for (const job of jobs) each.push(await runInSavepoint(transaction, job));
        return each;
      });
      for (const [index, outcome] of outcomes.entries()) {
        if ('error' in outcome) jobs[index]?.reject(outcome.error);
        else jobs[index]?.resolve(outcome.result);
      }
    } catch (error) {
      for (const { reject } of jobs) reject(error);
    }
  }

  return <Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as Job<Schema>['resolve'], reject });
      if (isRunning) return;
      isRunning = true;
      // Transactions that become ready in the same turn of the event loop join.
      setImmediate(() => void runAll());
    });
}

async function runInSavepoint<Schema>(
  transaction: Transaction<Schema>,
  { work }: Job<Schema>,
): Promise<Outcome> {
  await sql`savepoint job`.execute(transaction);
  try {
    const result = await work(transaction);
    await sql`release job`.execute(transaction);
    return { result };
  } catch (error) {
    await undo(transaction, error);
    return { error };
  }
}

/** @throws the job's own error when the whole transaction was rolled back with it, as on a full disk. */
async function undo<Schema>(transaction: Transaction<Schema>, error: unknown): Promise<void> {
  try {
    await sql`rollback to job`.execute(transaction);
    await sql`release job`.execute(transaction);
  } catch {
    throw error;
  }
}
