/**
 * In SQLite, deleted values stay readable in the write-ahead log until the log is written back and truncated.
 * A reading process prevents that, so it is tried until it succeeds.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

const delayMs = 1_000;
const retryMs = 500;

export interface WalTruncation {
  /** Truncates the log soon. Requests in the meantime share one truncation. */
  request(): void;
  /** Runs a pending truncation now, if no other process prevents it. */
  stop(): Promise<void>;
}

export function createWalTruncation(db: Kysely<Tables>): WalTruncation {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  function schedule(inMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      running = run();
    }, inMs).unref();
  }

  async function run(): Promise<void> {
    if (!(await truncate(db))) schedule(retryMs);
  }

  return {
    request: () => schedule(delayMs),
    async stop() {
      await running;
      if (timer === undefined) return;
      clearTimeout(timer);
      await truncate(db);
    },
  };
}

/** False if another process reads or writes. */
async function truncate(db: Kysely<Tables>): Promise<boolean> {
  try {
    // This step needs no exclusive lock, and shortens the next one, which does.
    await sql`pragma wal_checkpoint(passive)`.execute(db);
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    return rows[0]?.busy === 0;
  } catch {
    return false;
  }
}
