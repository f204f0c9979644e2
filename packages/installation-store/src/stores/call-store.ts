/** Stores what the calls of a process met, so that the dashboard judges by it (docs/decisions/0041-read-model.md). */
import type { Condition } from '@dowel/admin-api';
import type { CallReason } from '@dowel/schema';
import { type RawBuilder, sql } from 'kysely';
import { lockInstallation } from '../sql/database.ts';
import { addCalls, type LoggedCall } from './call-log.ts';
import { settleCondition } from './condition.ts';
import type { StoreContext } from './store-context.ts';

type Context = Omit<StoreContext, 'keyring'>;

/** What one process knows of an installation's calls. The times are ages, because processes have their own clocks. */
export interface CallReport {
  installationId: string;
  /** Null: there was none. */
  lastSuccessMs: number | null;
  /** Null: the newest call succeeded. */
  failing: {
    sinceMs: number;
    lastMs: number;
    failures: number;
    reason: CallReason | null;
    status: number | null;
  } | null;
}

/** Installations whose next success is of interest; more have to wait for a failure of their own. */
const maxAwaited = 10_000;

const awaited: readonly Condition[] = ['calls_failing', 'failing'];
/** With living tokens: then calls say more than the token. */
const judged: readonly Condition[] = [...awaited, 'healthy', 'expiring'];

/** The evidence of calls in one database. Its methods throw what the database throws. */
export function createCallStore(context: Context) {
  return {
    /**
     * Stores what a process met. Call it inside a transaction. Each installation occurs once.
     *
     * @returns those whose calls fail, in this process or in another.
     */
    record: (process: string, reports: readonly CallReport[]) => record(context, process, reports),
    /** The process ends. What it reported stays true until a call succeeds, in any process. */
    async leave(process: string): Promise<void> {
      await context.db.deleteFrom('call_evidence').where('process', '=', process).execute();
    },
    /** Adds single calls to the log. Those of installations that do not exist are left out. */
    log: (calls: readonly LoggedCall[]) => addCalls(context, calls),
    /** The installations whose next success is to be stored, of these or of all. */
    listAwaited: (ids?: readonly string[]) => listAwaited(context, ids),
  };
}

async function record(
  context: Context,
  process: string,
  reports: readonly CallReport[],
): Promise<string[]> {
  const { changed } = context;
  const ids = reports.map(({ installationId }) => installationId);
  const known = await readConditions(context, ids, judged);
  const sorted = reports.toSorted((a, b) => (a.installationId < b.installationId ? -1 : 1));
  const counted: CallReport[] = [];
  for (const report of sorted) {
    const { installationId: id, failing } = report;
    const from = known.get(id);
    if (!from) continue;
    // Before any row, in one order: another process settles the same installations.
    await lockInstallation(context, id);
    if (failing && from.condition === 'calls_failing' && from.cause === failing.reason) {
      counted.push(report);
      continue;
    }
    await write(context, process, [report]);
    if (await settleCondition(context, id, { endedBy: 'call' })) changed(id);
  }
  await write(context, process, counted);
  return [...(await readConditions(context, ids, ['calls_failing'])).keys()];
}

async function readConditions(
  { db }: Context,
  ids: readonly string[],
  conditions: readonly Condition[],
) {
  if (ids.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom('installations')
    .select(['id', 'condition', 'cause'])
    .where('id', 'in', ids)
    .where('condition', 'in', conditions)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function write(
  { db, now }: Context,
  process: string,
  reports: readonly CallReport[],
): Promise<void> {
  if (reports.length === 0) return;
  const ago = (ms: number | null | undefined): RawBuilder<number | null> =>
    sql`${now()} - cast(${ms ?? null} as bigint)`;
  const rows = reports.map(({ installationId, lastSuccessMs, failing }) => ({
    installation_id: installationId,
    process,
    last_success_at: ago(lastSuccessMs),
    failing_since: ago(failing?.sinceMs),
    failures: failing?.failures ?? 0,
    last_failure_at: ago(failing?.lastMs),
    reason: failing?.reason ?? null,
    status: failing?.status ?? null,
    written_at: now(),
  }));
  await db
    .insertInto('call_evidence')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['installation_id', 'process']).doUpdateSet((eb) => ({
        last_success_at: eb.ref('excluded.last_success_at'),
        failing_since: eb.ref('excluded.failing_since'),
        failures: eb.ref('excluded.failures'),
        last_failure_at: eb.ref('excluded.last_failure_at'),
        reason: eb.ref('excluded.reason'),
        status: eb.ref('excluded.status'),
        written_at: eb.ref('excluded.written_at'),
      })),
    )
    .execute();
}

async function listAwaited({ db }: Context, ids?: readonly string[]): Promise<string[]> {
  if (ids?.length === 0) return [];
  const rows = await db
    .selectFrom('installations')
    .select('id')
    .where('condition', 'in', awaited)
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .limit(maxAwaited)
    .execute();
  return rows.map(({ id }) => id);
}
