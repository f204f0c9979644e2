/**
 * One page of the list, by keyset pagination. Each kind of list has an index in its display order, so every
 * page costs the same. A row that moves in the meantime may appear twice, or not at all.
 */
import type { InstallationStatus } from '@dowel/schema';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { InstallationFilter, InstallationListQuery } from '../installation-reports.ts';
import type { Tables } from '../sql/tables.ts';
import { isBehind } from './fleet-order.ts';
import { decodeCursor, encodeCursor } from './report-cursor.ts';

type Column = 'created_at' | 'id' | 'issuer' | 'tenant_id' | 'plugin_id';
type Row = Pick<Tables['installations'], Column | 'status' | 'error_at'>;

interface Order {
  columns: readonly Column[];
  kinds: readonly ('string' | 'number')[];
  direction: 'asc' | 'desc';
}

interface Plan {
  order: Order;
  /** Rows that match any of these conditions, each found by an index in the list's order. No condition: all rows. */
  ranges: RawBuilder<SqlBool>[];
  /** A search has no index per status. It picks the rows of a status from this many rows. */
  picks: boolean;
  limit: number;
}

const newestFirst: Order = {
  columns: ['created_at', 'id'],
  kinds: ['number', 'string'],
  direction: 'desc',
};
const byIssuer: Order = {
  columns: ['issuer', 'tenant_id', 'plugin_id'],
  kinds: ['string', 'string', 'string'],
  direction: 'asc',
};
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const maxPageSize = 200;
const maxLookedAt = 1_000;
/** Sorts after every text that begins with a prefix. */
const lastCharacter = '\u{10ffff}';

/** Whether the filter `attention` includes an installation. */
export function needsAttention(installation: {
  status: InstallationStatus;
  /** Null: none since the last access token. */
  lastError: unknown;
}): boolean {
  const { status, lastError } = installation;
  if (status === 'active') return lastError !== null;
  return status !== 'uninstalled';
}

/** Uses literals, as the index does (migration 0004). Must agree with {@link needsAttention}. */
const attention = sql<SqlBool>`(status in ('pending', 'awaiting_event')
  or (status = 'active' and error_at is not null))`;

/** @throws StoreError `CURSOR_INVALID`. */
export async function findPage(
  db: Kysely<Tables>,
  query: InstallationListQuery,
): Promise<{ ids: string[]; next: string | null }> {
  if (!(query.limit >= 1 && query.limit <= maxPageSize)) {
    throw new TypeError(`A page holds 1 to ${maxPageSize} installations`);
  }
  const { order, picks, limit } = planPage(query);
  const rows: Row[] = await selectPage(db, query).execute();
  const found = picks ? rows.filter((row) => isOf(row, query.status)) : rows;
  const page = found.slice(0, query.limit);
  // Fewer rows than requested mean the end. Otherwise the next page starts after the last row used.
  const last = found.length > query.limit ? page.at(-1) : rows.length === limit && rows.at(-1);
  return {
    ids: page.map(({ id }) => id),
    next: last ? encodeCursor(order.columns.map((column) => last[column])) : null,
  };
}

/** The rows that a page is picked from, in its order. */
export function selectPage(db: Kysely<Tables>, query: InstallationListQuery) {
  const { order, ranges, picks, limit } = planPage(query);
  const key = query.after === undefined ? undefined : decodeCursor(query.after, order.kinds);
  const ordering = sql.join(
    order.columns.map((column) => sql`${sql.ref(column)} ${sql.raw(order.direction)}`),
  );

  function select(range?: RawBuilder<SqlBool>) {
    let rows = db
      .selectFrom('installations')
      .select(['id', 'created_at', 'issuer', 'tenant_id', 'plugin_id', 'status', 'error_at']);
    if (range) rows = rows.where(range);
    if (key) rows = rows.where(isBehind(order, key));
    if (query.status && !picks) rows = rows.where(isStatus(query.status));
    return rows.orderBy(ordering).limit(limit);
  }

  const [first, second] = ranges;
  if (!second) return select(first);
  return db
    .selectFrom(select(first).as('one'))
    .selectAll()
    .union(db.selectFrom(select(second).as('two')).selectAll())
    .orderBy(ordering)
    .limit(limit);
}

function planPage({ search = '', status, limit }: InstallationListQuery): Plan {
  const text = search
    .replace(/^(https?:\/\/)?[^/]*/i, (host) => host.toLowerCase())
    // As issuers are stored.
    .replace(/(?<=[^/])\/$/, '');
  if (text === '') return { order: newestFirst, ranges: [], picks: false, limit: limit + 1 };
  const picks = status !== undefined;
  const bounds = { picks, limit: picks ? maxLookedAt : limit + 1 };
  if (uuid.test(text)) {
    const ranges = [sql<SqlBool>`tenant_id = ${text}`, sql<SqlBool>`plugin_id = ${text}`];
    return { order: newestFirst, ranges, ...bounds };
  }
  const prefixes = /^https?:/.test(text) ? [text] : [`http://${text}`, `https://${text}`];
  const ranges = prefixes.map(
    (prefix) => sql<SqlBool>`issuer >= ${prefix} and issuer < ${prefix + lastCharacter}`,
  );
  return { order: byIssuer, ranges, ...bounds };
}

function isStatus(status: InstallationFilter) {
  return status === 'attention' ? attention : sql<SqlBool>`status = ${status}`;
}

function isOf({ status, error_at }: Row, wanted: InstallationListQuery['status']): boolean {
  if (wanted !== 'attention') return status === wanted;
  return needsAttention({ status, lastError: error_at });
}
