/** Adds single calls to the operators' log (docs/decisions/0041-read-model.md). */
import type { CallEntry } from '@dowel/token-client';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../sql/database.ts';

/** The times are ages, because processes have their own clocks. A call that is added again is stored once, by its `id`. */
export interface LoggedCall extends Omit<CallEntry, 'firstAt' | 'lastAt'> {
  firstMs: number;
  lastMs: number;
}

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
        duration_ms: call.durationMs,
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
