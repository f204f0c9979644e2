/** The audit: a row before each action, and its result after it. */
import {
  type AuditEntry,
  type AuditList,
  type AuditMeaning,
  type AuditQuery,
  auditMeaningSchema,
} from '@dowel/admin-api';
import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { AuditEnding, AuditStore, NewAuditEntry } from '../operator-store.ts';
import { decodeCursor, encodeCursor } from '../reports/report-cursor.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { readIdentity } from '../stores/account-store.ts';

type Context = Pick<Database, 'db' | 'now'>;

/**
 * The audit of one database. Its methods throw what the database throws.
 *
 * @param reportsDb reads without keeping writers waiting.
 */
export function createAuditStore(context: Context, reportsDb: Kysely<Tables>): AuditStore {
  return {
    begin: (entry) => beginEntry(context, entry),
    end: (id, ending) => endEntry(context, id, ending),
    list: (query) => listEntries(reportsDb, query),
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
  const { limit } = query;
  const rows = await selectEntries(db, query).execute();
  const page = rows.slice(0, limit);
  const end = page.at(-1);
  const next = rows.length > limit && end ? encodeCursor([end.at, end.id]) : null;
  return { entries: page.map(entryOf), next };
}

/** One row more than the page has. @throws StoreError `CURSOR_INVALID`. */
export function selectEntries(
  db: Kysely<Tables>,
  { limit, after, since, until, installationId, runId, ...exact }: AuditQuery,
) {
  const last = after === undefined ? undefined : decodeCursor(after, ['number', 'number']);
  return db
    .selectFrom('audit')
    .selectAll()
    .$if(exact.who !== undefined, (query) => query.where('who', '=', exact.who ?? ''))
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
