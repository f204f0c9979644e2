/**
 * SQLite: what was deleted stays readable in the write-ahead log until that is written back and cut off.
 * That cannot be done while another process reads, so it is tried until it could.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

const delayMs = 1_000;
const retryMs = 500;

export interface WalTruncation {
  /** Soon, once for all that ask meanwhile. */
  request(): void;
  /** Does now what was asked for, if it can be done. */
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

/** False: somebody reads or writes. */
async function truncate(db: Kysely<Tables>): Promise<boolean> {
  try {
    // First as much as can be had beside others' work: the second step is short then.
    await sql`pragma wal_checkpoint(passive)`.execute(db);
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    return rows[0]?.busy === 0;
  } catch {
    return false;
  }
}
