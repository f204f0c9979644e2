/** The audit: a row before each action, and its result after it. */
import {
  type AuditEntry,
  type AuditedAction,
  type AuditList,
  type AuditMeaning,
  type AuditQuery,
  type AuditResult,
  auditMeaningSchema,
  foldText,
  type OperatorIdentity,
} from '@dowel/admin-api';
import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import { decodeCursor, encodeCursor } from '../reports/report-cursor.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { readIdentity } from '../stores/account-store.ts';

/** An action that begins. */
export type NewAuditEntry = Omit<
  AuditEntry,
  'id' | 'at' | 'action' | 'result' | 'detail' | 'meaning' | 'identity' | 'count' | 'lastAt'
> & {
  action: AuditedAction;
  /** Left out or null: the machine's user, by a command. */
  identity?: OperatorIdentity | null | undefined;
};

/** The result. */
export interface AuditEnding {
  result: Exclude<AuditResult, 'begun'>;
  /** In English, or the answer of another system. Contains no secret. */
  detail: string | null;
  /** The meaning of `detail`. Left out if `detail` is the answer of another system. */
  meaning?: AuditMeaning;
}

type Context = Pick<Database, 'db' | 'now'>;

/**
 * The record of what operators did. No method changes or deletes a row whose result is written; a refusal counts its
 * repetitions. Its methods throw what the database throws.
 *
 * @param reportsDb reads without keeping writers waiting.
 */
export function createAuditStore(context: Context, reportsDb: Kysely<Tables>) {
  return {
    /** Writes the row before the action, so that no action is without one. @returns the row's id. */
    begin: (entry: NewAuditEntry) => beginEntry(context, entry),
    /**
     * Writes the result, once. If the role forbade the operator the same action within a day, that row counts this one, and this
     * one is gone: a role that may not act decides by no means how much is stored.
     */
    end: (id: number, ending: AuditEnding) => endEntry(context, id, ending),
    /** The newest first. @throws StoreError `CURSOR_INVALID`. */
    list: (query: AuditQuery) => listEntries(reportsDb, query),
  };
}

async function beginEntry(
  { db, now }: Context,
  { from, installationId, runId, identity = null, ...entry }: NewAuditEntry,
): Promise<number> {
  const { id } = await db
    .insertInto('audit')
    .values({
      ...entry,
      at: now(),
      from_address: from,
      installation_id: installationId,
      run_id: runId,
      identity: identity && JSON.stringify(identity),
      result: 'begun',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function endEntry(
  { db, now }: Context,
  id: number,
  { meaning, ...ending }: AuditEnding,
): Promise<void> {
  // Every other refusal has a row of its own, with its installation.
  if (meaning?.kind === 'role_missing' && (await countRepetition({ db, now }, id, ending))) return;
  await db
    .updateTable('audit')
    .set({ ...ending, meaning: meaning ? JSON.stringify(meaning) : null })
    .where('id', '=', id)
    .where('result', '=', 'begun')
    .execute();
}

const repeatedWithinMs = 24 * 60 * 60 * 1000;

/** False: nothing of the kind was refused within a day. */
async function countRepetition(
  { db, now }: Context,
  id: number,
  { detail }: Pick<AuditEnding, 'detail'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('audit')
    .set((eb) => ({ count: eb('count', '+', 1), last_at: now() }))
    .where('id', '=', (eb) =>
      eb
        .selectFrom('audit as earlier')
        .innerJoin('audit as own', (join) =>
          join
            .onRef('own.who', '=', 'earlier.who')
            .onRef('own.action', '=', 'earlier.action')
            .onRef('own.role', '=', 'earlier.role')
            .onRef('own.way', '=', 'earlier.way')
            .on(sql<SqlBool>`coalesce(own.identity, '') = coalesce(earlier.identity, '')`),
        )
        .select('earlier.id')
        .where('own.id', '=', id)
        .where('own.result', '=', 'begun')
        .where('earlier.result', '=', 'refused')
        .where('earlier.detail', detail === null ? 'is' : '=', detail)
        .where('earlier.at', '>', sql<number>`${now()} - cast(${repeatedWithinMs} as bigint)`)
        .orderBy('earlier.id', 'desc')
        .limit(1),
    )
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await db.deleteFrom('audit').where('id', '=', id).where('result', '=', 'begun').execute();
  return true;
}

async function listEntries(db: Kysely<Tables>, query: AuditQuery): Promise<AuditList> {
  const { limit, who, ...others } = query;
  const names = who === undefined ? undefined : await findNames(db, who);
  if (names?.length === 0) return { entries: [], next: null };
  const rows = await selectEntries(db, { ...others, limit, names }).execute();
  const page = rows.slice(0, limit);
  const end = page.at(-1);
  const next = rows.length > limit && end ? encodeCursor([end.at, end.id]) : null;
  return { entries: page.map(entryOf), next };
}

const maxNames = 1_000;

/** The names in the audit that begin with the text, in any case; the text itself counts even among very many names. */
async function findNames(db: Kysely<Tables>, text: string): Promise<string[]> {
  // Looks into the index once for each name, instead of reading all rows.
  const following = sql`select min(who) from audit where who > names.who`;
  const { rows } = await sql<{ who: string }>`with recursive names (who) as (
      select min(who) from audit
      union all select (${following}) from names where who is not null
    ) select who from names where who is not null limit ${maxNames}`.execute(db);
  const folded = foldText(text);
  const found = rows.map(({ who }) => who).filter((who) => foldText(who).startsWith(folded));
  return rows.length === maxNames ? [...new Set([text, ...found])] : found;
}

export interface EntrySelection extends Omit<AuditQuery, 'who'> {
  /** Undefined: all operators. */
  names?: readonly string[] | undefined;
}

/** One row more than the page has. @throws StoreError `CURSOR_INVALID`. */
export function selectEntries(
  db: Kysely<Tables>,
  { limit, after, since, until, installationId, runId, names, ...exact }: EntrySelection,
) {
  const last = after === undefined ? undefined : decodeCursor(after, ['number', 'number']);
  return db
    .selectFrom('audit')
    .selectAll()
    .$if(names !== undefined, (query) => query.where('who', 'in', names ?? []))
    .$if(exact.action !== undefined, (query) => query.where('action', '=', exact.action ?? ''))
    .$if(exact.result !== undefined, (query) => query.where('result', '=', exact.result ?? 'begun'))
    .$if(installationId !== undefined, (query) =>
      query.where('installation_id', '=', installationId ?? ''),
    )
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
    .$if(since !== undefined, (query) => query.where('at', '>=', since ?? 0))
    .$if(until !== undefined, (query) => query.where('at', '<', until ?? 0))
    .$if(last !== undefined, (query) =>
      query.where((eb) =>
        eb(eb.refTuple('at', 'id'), '<', eb.tuple(Number(last?.[0]), Number(last?.[1]))),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
}

function entryOf(row: Selectable<Tables['audit']>): AuditEntry {
  const { from_address: from, installation_id: installationId, run_id: runId, ...others } = row;
  const { last_at: lastAt, identity, ...rest } = others;
  return {
    ...rest,
    from,
    installationId,
    runId,
    identity: identity === null ? null : (readIdentity(identity) ?? null),
    lastAt: lastAt ?? row.at,
    meaning: readMeaning(row.meaning),
  };
}

/** A newer version may have written what this one does not know: then only the English sentence is shown. */
function readMeaning(text: string | null): AuditMeaning | null {
  return text === null ? null : (auditMeaningSchema.safeParse(JSON.parse(text)).data ?? null);
}
