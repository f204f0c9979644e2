/** The timeline of one installation: its histories, by time. Each holds about a thousand entries at most. */
import type { TimelineEntry, TimelineKind } from '@dowel/admin-api';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { eventColumns, readDetail } from './event-details.ts';
import { decodeCursor, encodeCursor } from './report-cursor.ts';

export interface TimelinePage {
  limit: number;
  after?: string | undefined;
  kinds: readonly TimelineKind[];
}

type Source = 'event' | 'operation' | 'hook';

interface Placed {
  source: Source;
  entry: TimelineEntry;
}

/** What of a history is read: entries before a point in time, or at it with another number. */
interface Wanted {
  id: string;
  before: (
    at: RawBuilder<unknown>,
    number: RawBuilder<unknown>,
    source: Source,
  ) => RawBuilder<SqlBool>;
  limit: number;
}

/** Entries of one millisecond are in this order, the latest cause first. */
const sources: readonly Source[] = ['hook', 'operation', 'event'];
const cursorKinds = ['number', 'number', 'number'] as const;

/** Newest first. @throws StoreError `CURSOR_INVALID`. */
export async function listTimeline(
  db: Kysely<Tables>,
  id: string,
  { limit, after, kinds }: TimelinePage,
): Promise<{ entries: TimelineEntry[]; next: string | null }> {
  if (id.includes('\0')) return { entries: [], next: null };
  const wanted = { id, before: behind(after), limit: limit + 1 };
  const found = [
    ...(kinds.includes('event') ? await readEvents(db, wanted) : []),
    ...(await readOperations(db, wanted, kinds)),
    ...(kinds.includes('hook') ? await readHooks(db, wanted) : []),
  ].toSorted(newestFirst);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const next = found.length > limit && last ? encodeCursor(keyOf(last)) : null;
  return { entries: page.map(({ entry }) => entry), next };
}

function keyOf({ source, entry }: Placed): [number, number, number] {
  return [entry.at, sources.indexOf(source), entry.entry.id];
}

function newestFirst(one: Placed, other: Placed): number {
  const [oneAt, oneSource, oneId] = keyOf(one);
  const [otherAt, otherSource, otherId] = keyOf(other);
  return otherAt - oneAt || oneSource - otherSource || otherId - oneId;
}

function behind(after: string | undefined): Wanted['before'] {
  if (after === undefined) return () => sql<SqlBool>`1 = 1`;
  const [at = 0, index = 0, id = 0] = decodeCursor(after, cursorKinds).map(Number);
  return (column, number, source) => {
    const rank = sources.indexOf(source);
    const atSameTime =
      rank === index ? sql`${number} < ${id}` : sql`${sql.lit(rank > index ? 1 : 0)} = 1`;
    return sql<SqlBool>`(${column} < ${at} or (${column} = ${at} and ${atSameTime}))`;
  };
}

async function readEvents(db: Kysely<Tables>, { id, before, limit }: Wanted): Promise<Placed[]> {
  const rows = await db
    .selectFrom('events')
    .select([...eventColumns, 'detail'])
    .where('installation_id', '=', id)
    .where(before(sql.ref('received_at'), sql.ref('id'), 'event'))
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ detail, ...event }) => ({
    source: 'event',
    entry: {
      kind: 'event',
      at: event.receivedAt,
      entry: { ...event, detail: readDetail(detail) },
    },
  }));
}

/** An exchange belongs to the refreshes. */
async function readOperations(
  db: Kysely<Tables>,
  { id, before, limit }: Wanted,
  kinds: readonly TimelineKind[],
): Promise<Placed[]> {
  const operations = [
    ...(kinds.includes('refresh') ? (['refresh', 'exchange'] as const) : []),
    ...(kinds.includes('trigger') ? (['trigger'] as const) : []),
  ];
  if (operations.length === 0) return [];
  const rows = await db
    .selectFrom('token_operations')
    .select([
      'id',
      'operation',
      'started_at as startedAt',
      'duration_ms as durationMs',
      'succeeded',
      'token_version as tokenVersion',
      'reason',
    ])
    .where('installation_id', '=', id)
    .where('operation', 'in', operations)
    .where(before(sql.ref('started_at'), sql.ref('id'), 'operation'))
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    source: 'operation',
    entry: {
      kind: row.operation === 'trigger' ? 'trigger' : 'refresh',
      at: row.startedAt,
      entry: { ...row, succeeded: row.succeeded === 1 },
    },
  }));
}

async function readHooks(db: Kysely<Tables>, { id, before, limit }: Wanted): Promise<Placed[]> {
  const rows = await db
    .selectFrom('hook_deliveries')
    .select([
      'sequence as id',
      'event as hook',
      'state',
      'attempts',
      'settled_at as settledAt',
      'occurred_at as at',
    ])
    .where('installation_id', '=', id)
    .where(before(sql.ref('occurred_at'), sql.ref('sequence'), 'hook'))
    .orderBy('occurred_at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ at, ...entry }) => ({ source: 'hook', entry: { kind: 'hook', at, entry } }));
}
