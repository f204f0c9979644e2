/** The deliveries of events, and how often each reason refused one. */
import {
  type Deliveries,
  type DeliveriesQuery,
  type DeliveryDetail,
  deliveryDetailSchema,
  type FleetDetail,
  type Refusals,
} from '@dowel/admin-api';
import { hostOf } from '@dowel/schema';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { decodeCursor, encodeCursor } from './report-cursor.ts';

/** The most frequent reasons first. @param from the beginning of an hour. */
export function reportRefusals(db: Kysely<Tables>, from: number): Promise<Refusals['reasons']> {
  const total = sql<number>`cast(sum(n) as bigint)`;
  return db
    .selectFrom('refusal_counts')
    .where('hour_at', '>=', from)
    .select([
      'reason',
      total.as('count'),
      sql<number>`min(first_at)`.as('firstAt'),
      sql<number>`max(last_at)`.as('lastAt'),
    ])
    .groupBy('reason')
    .orderBy(total, 'desc')
    .orderBy('reason')
    .execute();
}

/** @throws StoreError `CURSOR_INVALID`. */
export async function listDeliveries(
  db: Kysely<Tables>,
  query: DeliveriesQuery,
): Promise<Pick<Deliveries, 'deliveries' | 'next'>> {
  const { limit, order, after, since, until } = query;
  const last = after === undefined ? undefined : decodeCursor(after, ['number', 'string']);
  const isAscending = order === 'oldest';
  const direction = isAscending ? 'asc' : 'desc';
  const rows = await selectRows(db)
    .where(matches(query))
    .$if(since !== undefined, (rest) => rest.where('deliveries.at', '>=', since ?? 0))
    .$if(until !== undefined, (rest) => rest.where('deliveries.at', '<', until ?? 0))
    .$if(last !== undefined, (rest) =>
      rest.where((eb) =>
        eb(
          eb.refTuple('deliveries.at', 'deliveries.id'),
          isAscending ? '>' : '<',
          eb.tuple(Number(last?.[0]), String(last?.[1])),
        ),
      ),
    )
    .orderBy('deliveries.at', direction)
    .orderBy('deliveries.id', direction)
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  const end = page.at(-1);
  const next = rows.length > limit && end ? encodeCursor([end.at, end.id]) : null;
  return { deliveries: page.map(toDelivery), next };
}

function matches({ installationId, event, outcome, reason }: DeliveriesQuery) {
  const conditions = [sql<SqlBool>`1 = 1`];
  if (installationId !== undefined)
    conditions.push(sql`deliveries.installation_id = ${installationId}`);
  if (event !== undefined) conditions.push(sql`deliveries.event = ${event}`);
  if (reason !== undefined) conditions.push(sql`deliveries.reason = ${reason}`);
  // A literal, as in the index.
  if (outcome === 'refused') conditions.push(sql`deliveries.status >= 400`);
  if (outcome === 'accepted') conditions.push(sql`deliveries.status < 400`);
  if (outcome === 'repeated') conditions.push(sql`deliveries.is_repeat = 1`);
  return sql.join<SqlBool>(conditions, sql` and `);
}

/** Undefined: there is none, or it is gone. */
export async function describeDelivery(
  db: Kysely<Tables>,
  id: string,
): Promise<DeliveryDetail | undefined> {
  // No id contains NUL, and PostgreSQL refuses such a query.
  if (id.includes('\0')) return undefined;
  const row = await selectRows(db)
    .select(['body', 'claims'])
    .where('deliveries.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  return { ...toDelivery(row), body: row.body, claims: readClaims(row.claims) };
}

/** Null also if a newer version wrote them in another form. */
function readClaims(text: string | null): DeliveryDetail['claims'] {
  if (text === null) return null;
  return deliveryDetailSchema.shape.claims.safeParse(JSON.parse(text)).data ?? null;
}

/** Null: the newest event of the installation that was accepted is newer than any whose times were off. */
export async function findClockSkew(
  db: Kysely<Tables>,
  installationId: string,
): Promise<FleetDetail['clockSkew']> {
  const row = await db
    .selectFrom('deliveries')
    .select(['id', 'at', 'event', 'reason', 'off_by_seconds as offBySeconds'])
    .where('installation_id', '=', installationId)
    .where((eb) => eb.or([eb('off_by_seconds', 'is not', null), eb('status', '<', 400)]))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row || row.reason === null || row.offBySeconds === null) return null;
  const { reason, offBySeconds, ...delivery } = row;
  return { ...delivery, reason, offBySeconds };
}

function selectRows(db: Kysely<Tables>) {
  return db
    .selectFrom('deliveries')
    .leftJoin('installations', 'installations.id', 'deliveries.installation_id')
    .select([
      'deliveries.id',
      'deliveries.at',
      'deliveries.event',
      'deliveries.plugin',
      'deliveries.installation_id as installationId',
      sql<string>`coalesce(installations.name, '')`.as('name'),
      'deliveries.host',
      'installations.issuer',
      'deliveries.is_verified as isVerified',
      'deliveries.status',
      'deliveries.reason',
      'deliveries.is_repeat as isRepeat',
      'deliveries.duration_ms as durationMs',
      'deliveries.off_by_seconds as offBySeconds',
      'deliveries.sender',
      'deliveries.request_id as requestId',
    ]);
}

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof selectRows>['execute']>>[number];

function toDelivery({
  id,
  at,
  event,
  plugin,
  ...row
}: DeliveryRow): Deliveries['deliveries'][number] {
  const { installationId, name, issuer, status, reason, durationMs, offBySeconds } = row;
  return {
    id,
    at,
    event,
    plugin,
    installationId,
    name,
    host: issuer === null ? row.host : hostOf(issuer),
    isVerified: row.isVerified === 1,
    status,
    reason,
    isRepeat: row.isRepeat === 1,
    durationMs,
    offBySeconds,
    sender: row.sender,
    requestId: row.requestId,
  };
}
