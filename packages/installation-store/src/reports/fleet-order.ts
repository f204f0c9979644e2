/**
 * The orders of the list. Each is one range of an index, or two: first the rows that have a value, then the
 * others by their age.
 */
import { type Condition, type FleetSort, fleetSortDirections } from '@dowel/admin-api';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Filter, wantedConditions } from './fleet-filter.ts';
import { decodeCursor, encodeCursor } from './report-cursor.ts';

type Column =
  | 'unhealthy_since'
  | 'created_at'
  | 'token_expires_at'
  | 'last_event_at'
  | 'issuer'
  | 'tenant_id'
  | 'plugin_id'
  | 'id';

export interface Range {
  where?: RawBuilder<SqlBool>;
  columns: readonly Column[];
  direction: 'asc' | 'desc';
}

/** Where a page begins: behind the key in a range, or at the beginning. */
export interface Place {
  range: number;
  key: readonly (string | number)[] | undefined;
}

const texts: ReadonlySet<Column> = new Set(['issuer', 'tenant_id', 'plugin_id', 'id']);
/** Conditions with a time from when they are without access. */
const troubled: readonly Condition[] = [
  'pending',
  'failing',
  'calls_failing',
  'awaiting',
  'refused',
];

export interface Order {
  sort: FleetSort;
  direction?: 'asc' | 'desc' | undefined;
}

/**
 * The ranges that can have rows of the filter. A range without any is left out, because it would be read to its
 * end without a result.
 */
export function rangesOf(order: Order, filter: Filter): Range[] {
  const direction = order.direction ?? fleetSortDirections[order.sort];
  switch (order.sort) {
    case 'host':
      return [{ columns: ['issuer', 'tenant_id', 'plugin_id'], direction }];
    case 'began':
      return [{ columns: ['created_at', 'id'], direction }];
    case 'expiry':
      return withAndWithout('token_expires_at', direction);
    case 'event':
      return withAndWithout('last_event_at', direction);
    case 'broken': {
      const [inTrouble, others] = withAndWithout('unhealthy_since', direction);
      const has = hasTroubled(filter);
      return [
        ...(inTrouble && has.some ? [inTrouble] : []),
        ...(others && !has.all ? [others] : []),
      ];
    }
  }
}

function withAndWithout(column: Column, direction: 'asc' | 'desc'): Range[] {
  const value = sql.ref(column);
  return [
    { where: sql`${value} is not null`, columns: [column, 'id'], direction },
    { where: sql`${value} is null`, columns: ['created_at', 'id'], direction: 'desc' },
  ];
}

function hasTroubled(filter: Filter): { some: boolean; all: boolean } {
  if (filter.cause !== undefined) return { some: true, all: true };
  const wanted = wantedConditions(filter);
  if (!wanted) return { some: true, all: false };
  const isTroubled = wanted.map(({ condition }) => troubled.includes(condition));
  return { some: isTroubled.includes(true), all: !isTroubled.includes(false) };
}

export function orderBy({ columns, direction }: Range, isFromIndex: boolean): RawBuilder<unknown> {
  // An expression cannot be read from an index, so the database reads the filter's rows and sorts them.
  const first = ([column]: readonly Column[]) =>
    column && texts.has(column)
      ? sql`${sql.ref(column)} || ''`
      : sql`${sql.ref(column ?? 'id')} + 0`;
  const keys = columns.map((column, index) =>
    isFromIndex || index > 0 ? sql.ref(column) : first(columns),
  );
  return sql.join(keys.map((each) => sql`${each} ${sql.raw(direction)}`));
}

export function isBehind(
  { columns, direction }: Pick<Range, 'columns' | 'direction'>,
  key: readonly unknown[],
) {
  const comparison = sql.raw(direction === 'desc' ? '<' : '>');
  return sql<SqlBool>`(${sql.join(columns.map((column) => sql.ref(column)))}) ${comparison} (${sql.join(key)})`;
}

/** @throws StoreError `CURSOR_INVALID`. */
export function readCursor(ranges: readonly Range[], after: string | undefined): Place {
  if (after === undefined) return { range: 0, key: undefined };
  const [, number = '', key = ''] = /^(\d)\.(.*)$/s.exec(after) ?? [];
  const range = ranges[Number(number)];
  const kinds = range?.columns.map((column) => (texts.has(column) ? 'string' : 'number')) ?? [];
  // Without a range it is no cursor of this list, and is refused.
  return { range: Number(number), key: decodeCursor(range ? key : '', kinds) };
}

export function cursorOf(range: number, key: readonly (string | number)[]): string {
  return `${range}.${encodeCursor(key)}`;
}
