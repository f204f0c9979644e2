/** Adds single calls to the operators' log (docs/decisions/0041-read-model.md). */
import type { CallReason } from '@dowel/schema';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../sql/database.ts';

/** A call, or equal failures of one installation. The times are ages, because processes have their own clocks. */
export interface LoggedCall {
  /** Unique: a call that is added again is stored once. */
  id: string;
  installationId: string;
  count: number;
  firstMs: number;
  lastMs: number;
  operation: string | null;
  method: string;
  path: string;
  host: string | null;
  status: number | null;
  reason: CallReason | null;
  fault: string | null;
  durationMs: number;
  attempts: number;
  requestId: string | null;
  userId: string | null;
  answer: string | null;
}

const maxInteger = 2 ** 31 - 1;
/** Rows of one statement: SQLite writes them in one turn. */
const maxRows = 100;

export async function addCalls(
  { db, now }: Pick<Database, 'db' | 'now'>,
  calls: readonly LoggedCall[],
): Promise<void> {
  const ago = (ms: number): RawBuilder<number> => sql`${now()} - cast(${ms} as bigint)`;
  for (let from = 0; from < calls.length; from += maxRows) {
    const part = calls.slice(from, from + maxRows);
    const ids = part.map(({ installationId }) => installationId);
    const found = await db
      .selectFrom('installations')
      .select('id')
      .where('id', 'in', ids)
      .execute();
    const known = new Set(found.map(({ id }) => id));
    const rows = part
      .filter(({ installationId }) => known.has(installationId))
      .map((call) => ({
        id: call.id,
        installation_id: call.installationId,
        at: ago(call.lastMs),
        first_at: ago(call.firstMs),
        n: call.count,
        operation: call.operation,
        method: call.method,
        path: call.path,
        host: call.host,
        status: call.status,
        reason: call.reason,
        fault: call.fault,
        duration_ms: Math.max(0, Math.min(Math.round(call.durationMs), maxInteger)),
        attempts: call.attempts,
        request_id: call.requestId,
        user_id: call.userId,
        answer: call.answer,
      }));
    if (rows.length === 0) continue;
    await db
      .insertInto('call_log')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
