/** What the processes know of an installation's calls, merged by time. */
import type { CallReason } from '@dowel/schema';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** A process that has met no call for so long does not outweigh a later success of another one: it may have ended. */
const outweighedMs = 60_000;

/** The calls of one installation. Times by the database's clock. */
export interface CallEvidence {
  /** How many processes have reported, and in how many calls fail. */
  processes: number;
  failing: number;
  lastSuccessAt: number | null;
  /** The first failure of a process in which calls fail. Null: they fail in none. */
  failingSince: number | null;
  failures: number;
  /** Of the newest failure. */
  reason: CallReason | null;
  status: number | null;
}

type Row = Tables['call_evidence'];

/** Installations without evidence are left out. */
export async function readEvidence(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CallEvidence>> {
  const rows = await db
    .selectFrom('call_evidence')
    .selectAll()
    .where('installation_id', 'in', ids)
    .execute();
  const byId = Map.groupBy(rows, (row) => row.installation_id);
  return new Map([...byId].map(([id, ofOne]) => [id, mergeEvidence(ofOne)]));
}

function mergeEvidence(rows: readonly Row[]): CallEvidence {
  const lastSuccessAt = Math.max(...rows.map((row) => row.last_success_at ?? 0));
  const failing = rows
    .filter((row) => row.failing_since !== null)
    .filter((row) => lastSuccessAt <= (row.last_failure_at ?? 0) + outweighedMs)
    .toSorted((one, other) => (other.last_failure_at ?? 0) - (one.last_failure_at ?? 0));
  const [newest] = failing;
  const since = failing.map((row) => row.failing_since ?? 0);
  return {
    processes: rows.length,
    failing: failing.length,
    lastSuccessAt: lastSuccessAt || null,
    failingSince: newest ? Math.min(...since) : null,
    failures: failing.reduce((sum, row) => sum + row.failures, 0),
    reason: newest?.reason ?? null,
    status: newest?.status ?? null,
  };
}

export async function deleteEvidence(db: Kysely<Tables>, id: string): Promise<void> {
  await db.deleteFrom('call_evidence').where('installation_id', '=', id).execute();
}
