/** The deliveries of events and refused sessions, and the counts of refusals. */
import type { Delivery, DeliveryDetail, RefusedReason } from '@dowel/admin-api';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import { addUp } from './add-up.ts';
import type { InstallationKey } from './find-installation.ts';

/** Refusals for one reason within the hour that began at `hourAt`, epoch milliseconds. */
export interface RefusalCount extends RefusedReason {
  hourAt: number;
}

/** `id` is unique: a delivery that is added again is stored once. */
export interface NewDelivery
  extends Omit<Delivery, 'installationId' | 'name'>,
    Pick<DeliveryDetail, 'body' | 'claims'> {
  /** The installation that a verified JWT names. Null: nothing is proved. */
  key: InstallationKey | null;
}

/** How many are kept: a flood for one reason or one installation does not push out others. */
export const keptDeliveries = { ofReason: 10, ofInstallation: 200 };
/** Rows of one statement. SQLite takes 32,766 values. */
const maxRows = 500;

type Context = Pick<Database, 'db'>;

/** What the platform and strangers posted. Its methods throw what the database throws. */
export function createDeliveryStore(context: Context) {
  return {
    /**
     * Stores deliveries, and adds to the counts of before, by any process. The counts are written last, all of them or
     * none. Each hour and reason occurs once in them.
     */
    async add(
      deliveries: readonly NewDelivery[],
      counts: readonly RefusalCount[] = [],
    ): Promise<void> {
      for (let first = 0; first < deliveries.length; first += maxRows) {
        await addDeliveries(context, deliveries.slice(first, first + maxRows));
      }
      if (counts.length > 0) await addCounts(context, counts);
    },
  };
}

async function addDeliveries(context: Context, deliveries: readonly NewDelivery[]): Promise<void> {
  const ids = await findInstallations(context, deliveries);
  const rows = deliveries.map((delivery) => toRow(delivery, ids));
  await context.db
    .insertInto('deliveries')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if (rows.some((row) => row.installation_id === null)) {
    const strangers = sql`installation_id is null`;
    await cut(context, { of: strangers, by: 'reason', kept: keptDeliveries.ofReason });
  }
  const grown = rows.filter(({ id }) => mayCut(id)).map((row) => row.installation_id);
  if (grown.some((id) => id !== null)) {
    const named = sql`installation_id in (${sql.join(grown)})`;
    await cut(context, { of: named, by: 'installation_id', kept: keptDeliveries.ofInstallation });
  }
}

/** Ids are random, so that about one delivery in 16 cuts those of its installation: there may be a few more meanwhile. */
function mayCut(id: string): boolean {
  return id.startsWith('0');
}

type FoundIds = ReadonlyMap<string, string>;

async function findInstallations(
  { db }: Context,
  deliveries: readonly NewDelivery[],
): Promise<FoundIds> {
  const keys = new Map(deliveries.flatMap(({ key }) => (key ? [[nameOf(key), key]] : [])));
  if (keys.size === 0) return new Map();
  const wanted = [...keys.values()].map(
    ({ issuer, tenantId, pluginId }) => sql`(${issuer}, ${tenantId}, ${pluginId})`,
  );
  const rows = await db
    .selectFrom('installations')
    .select(['id', 'issuer', 'tenant_id as tenantId', 'plugin_id as pluginId'])
    .where(sql<boolean>`(issuer, tenant_id, plugin_id) in (values ${sql.join(wanted)})`)
    .execute();
  return new Map(rows.map((row) => [nameOf(row), row.id]));
}

function nameOf({ issuer, tenantId, pluginId }: InstallationKey): string {
  return JSON.stringify([issuer, tenantId, pluginId]);
}

function toRow(delivery: NewDelivery, ids: FoundIds) {
  const { id, at, event, plugin, key, host, status, reason, sender, body, claims } = delivery;
  return {
    id,
    at,
    event,
    plugin,
    installation_id: (key && ids.get(nameOf(key))) ?? null,
    host,
    is_verified: Number(delivery.isVerified),
    status,
    reason,
    is_repeat: Number(delivery.isRepeat),
    duration_ms: delivery.durationMs,
    off_by_seconds: delivery.offBySeconds,
    sender,
    request_id: delivery.requestId,
    body,
    claims: claims && JSON.stringify(claims),
  };
}

interface Cut {
  of: RawBuilder<unknown>;
  by: 'reason' | 'installation_id';
  kept: number;
}

async function cut({ db }: Context, { of, by, kept }: Cut): Promise<void> {
  await sql`delete from deliveries where id in (select id from (
    select id, row_number() over (partition by ${sql.ref(by)} order by at desc, id) as place
    from deliveries where ${of}
  ) as placed where place > ${sql.lit(kept)})`.execute(db);
}

async function addCounts({ db }: Context, counts: readonly RefusalCount[]): Promise<void> {
  await db
    .insertInto('refusal_counts')
    .values(inOneOrder(counts).map(toCountRow))
    .onConflict((conflict) =>
      conflict.columns(['hour_at', 'reason']).doUpdateSet(addUp('refusal_counts')),
    )
    .execute();
}

/** Every process touches rows in the same order, so that no two wait for each other. */
function inOneOrder(counts: readonly RefusalCount[]): RefusalCount[] {
  return counts.toSorted((a, b) => a.hourAt - b.hourAt || (a.reason < b.reason ? -1 : 1));
}

function toCountRow({ hourAt, reason, count, firstAt, lastAt }: RefusalCount) {
  return { hour_at: hourAt, reason, n: count, first_at: firstAt, last_at: lastAt };
}
