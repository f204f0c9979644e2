import { randomUUID } from 'node:crypto';
import type { Run } from '@dowel/admin-api';
import { type Selectable, sql, type UpdateObject } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { readIdentity } from '../stores/account-store.ts';
import { hasLapsed, longestLeaseMs } from '../stores/lapse.ts';
import type { NewAuditEntry } from './audit-store.ts';

/** Who began the run: each of its actions has this in the audit. */
type RunActor = Pick<NewAuditEntry, 'who' | 'role' | 'way' | 'from' | 'identity'>;

export interface NewRun extends Pick<Run, 'id' | 'action' | 'reason'> {
  actor: RunActor;
  /** The revision of the account that the session belongs to; null: it belongs to none, as after a one-time code. */
  accountRevision: string | null;
  /** The installations that it takes, in this order, each once. */
  ids: readonly string[];
}

/** The progress of a run, and its results so far. */
export interface RunProgress
  extends Pick<Run, 'done' | 'unchanged' | 'refused' | 'failed' | 'refusals'> {
  /** How many installations were taken. */
  position: number;
}

/** The right to work on a run. It ends with its lease, or when another process claims the run. */
export interface ClaimedRun extends RunProgress, Pick<Run, 'id' | 'action' | 'reason' | 'total'> {
  actor: RunActor;
  /** Names this claim. */
  claim: string;
}

type Context = Pick<Database, 'db' | 'now'>;
type RunRow = Selectable<Tables['runs']>;
type Claimed = Pick<ClaimedRun, 'id' | 'claim'>;

/** Installations in one row of `run_parts`: about 20 kB. */
const idsPerPart = 500;
/** The lease of a run that begins is extended after so many parts. Each takes one sync of the disk. */
const partsPerLease = 20;
const maxListed = 50;
const listedMs = 24 * 60 * 60 * 1000;

/**
 * Runs: one action on many installations. A run belongs to no process: if the process that works on it ends, another
 * one continues (docs/decisions/0043-operator-actions.md). Points in time are by the database's clock.
 */
export function createRunStore(context: Context) {
  return {
    /**
     * Writes a run that no process works on yet.
     *
     * @returns false: one of the same action is under way, in any process, and nothing was written; or this one was ended
     * by another process before it was whole, and does nothing.
     */
    begin: (run: NewRun) => beginRun(context, run),
    /** Claims a run that no process works on: the one that began first. `id`: only this one. */
    claim: (leaseMs: number, id?: string) => claimRun(context, leaseMs, id),
    /** The next installations from a position on; fewer than `limit` only at the end. */
    listIds: (id: string, position: number, limit: number) =>
      listIds(context, id, { position, limit }),
    /**
     * Stores how far it has come, and extends the lease. 0: another process may claim it at once. The run is stopping
     * from then on if the account that began it has changed or is gone.
     *
     * @returns undefined: another process has claimed it, or it is over.
     */
    report: (claimed: Claimed, progress: RunProgress, leaseMs: number) =>
      reportRun(context, { ...claimed, leaseMs }, progress),
    /** Ends the run: as done if everything was taken, otherwise as stopped. */
    end: (claimed: Claimed, progress: RunProgress) => endRun(context, claimed, progress),
    /** @returns false: it is not running. */
    requestStop: (id: string) => requestStop(context, id),
    find: (id: string) => findRun(context, id),
    /** Those under way and those that ended within a day, the newest first; at most 50. */
    list: () => listRuns(context),
  };
}

/**
 * Writes each part of the installations in its own statement, so that other writers never wait long. Until all
 * parts are written, the run is claimed, by a lease that is extended meanwhile, and not whole. If this fails or the
 * process ends, the next process that claims the run ends it, and no action was done. The run can be stopped meanwhile.
 */
async function beginRun(
  { db, now }: Context,
  { actor, accountRevision, ids, ...run }: NewRun,
): Promise<boolean> {
  const { from, identity = null, ...who } = actor;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('runs')
    .values({
      ...run,
      ...who,
      from_address: from,
      identity: identity && JSON.stringify(identity),
      account_revision: accountRevision,
      state: 'running',
      is_whole: 0,
      started_at: now(),
      refusals: '{}',
      total: ids.length,
      position: 0,
      done: 0,
      unchanged: 0,
      refused: 0,
      failed: 0,
      leased_until: leaseEnd(now, longestLeaseMs),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  for (let part = 0; part * idsPerPart < ids.length; part += 1) {
    const begin = part * idsPerPart;
    const text = JSON.stringify(ids.slice(begin, begin + idsPerPart));
    await db.insertInto('run_parts').values({ run_id: run.id, part, ids: text }).execute();
    if (part % partsPerLease === partsPerLease - 1) {
      const leasedUntil = leaseEnd(now, longestLeaseMs);
      if (!(await updateUnended(db, run.id, { leased_until: leasedUntil }))) return false;
    }
  }
  return updateUnended(db, run.id, { is_whole: 1, leased_until: 0 });
}

/** False: another process has ended the run. */
async function updateUnended(
  db: Context['db'],
  id: string,
  changes: UpdateObject<Tables, 'runs'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set(changes)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

const leaseEnd = (now: Context['now'], leaseMs: number) =>
  sql<number>`${now()} + cast(${leaseMs} as bigint)`;

async function claimRun(
  { db, now }: Context,
  leaseMs: number,
  given: string | undefined,
): Promise<ClaimedRun | undefined> {
  const id = given ?? (await findUnclaimed({ db, now }));
  if (id === undefined) return undefined;
  const claim = randomUUID();
  const row = await db
    .updateTable('runs')
    .set({ claim, leased_until: leaseEnd(now, leaseMs) })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    // Another process may have claimed it since it was found.
    .where(hasLapsed(now, 'runs.leased_until'))
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  const { role, way, from_address: from, position } = row;
  const identity = row.identity === null ? undefined : readIdentity(row.identity);
  const { state: _, startedAt: __, endedAt: ___, ...run } = runOf(row);
  return {
    ...run,
    position,
    claim,
    actor: { who: row.who, role, way, from, ...(identity && { identity }) },
  };
}

async function findUnclaimed({ db, now }: Context): Promise<string | undefined> {
  const found = await db
    .selectFrom('runs')
    .select('id')
    .where('ended_at', 'is', null)
    .where(hasLapsed(now, 'runs.leased_until'))
    .orderBy('started_at')
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}

async function listIds(
  { db }: Pick<Context, 'db'>,
  id: string,
  { position, limit }: { position: number; limit: number },
): Promise<string[]> {
  const first = Math.floor(position / idsPerPart);
  const parts = await db
    .selectFrom('run_parts')
    .select('ids')
    .where('run_id', '=', id)
    .where('part', '>=', first)
    .where('part', '<=', Math.floor((position + limit - 1) / idsPerPart))
    .orderBy('part')
    .execute();
  const ids = parts.flatMap((part) => JSON.parse(part.ids) as string[]);
  const begin = position - first * idsPerPart;
  return ids.slice(begin, begin + limit);
}

async function reportRun(
  { db, now }: Context,
  { id, claim, leaseMs }: Claimed & { leaseMs: number },
  progress: RunProgress,
): Promise<'running' | 'stopping' | undefined> {
  const row = await db
    .updateTable('runs')
    .set({
      ...columnsOf(progress),
      leased_until: leaseEnd(now, leaseMs),
      state: sql`case when is_whole = 0 or ${isOrphaned} then 'stopping' else state end`,
    })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('ended_at', 'is', null)
    .returning('state')
    .executeTakeFirst();
  return row && (row.state === 'stopping' ? 'stopping' : 'running');
}

async function endRun(
  { db, now }: Context,
  { id, claim }: Claimed,
  progress: RunProgress,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set({
      ...columnsOf(progress),
      state: sql`case when total <= cast(${progress.position} as bigint) then 'done' else 'stopped' end`,
      ended_at: now(),
    })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The account that began the run has another role or password, or is gone, so the run must stop. */
const isOrphaned = sql<boolean>`account_revision is not null and not exists (
  select 1 from operator_accounts where revision = runs.account_revision)`;

function columnsOf({ position, done, unchanged, refused, failed, refusals }: RunProgress) {
  return { position, done, unchanged, refused, failed, refusals: JSON.stringify(refusals) };
}

async function requestStop({ db }: Pick<Context, 'db'>, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set({ state: 'stopping' })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function findRun({ db }: Pick<Context, 'db'>, id: string): Promise<Run | undefined> {
  const row = await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
  return row && runOf(row);
}

async function listRuns({ db, now }: Context): Promise<Run[]> {
  const rows = await db
    .selectFrom('runs')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('ended_at', 'is', null),
        eb('ended_at', '>', sql<number>`${now()} - cast(${listedMs} as bigint)`),
      ]),
    )
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(maxListed)
    .execute();
  return rows.map(runOf);
}

function runOf(row: RunRow): Run {
  const { id, action, reason, who, state, total, done, unchanged, refused, failed } = row;
  return {
    id,
    action,
    reason,
    who,
    state,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    total,
    done,
    unchanged,
    refused,
    failed,
    refusals: JSON.parse(row.refusals) as Run['refusals'],
  };
}
