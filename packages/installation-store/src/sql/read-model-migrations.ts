/** Migrations 0045 to 0050: what the dashboard reads, without indexes and tables of its own. They are never changed. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';
import { searchTextOf } from './search-text.ts';
import type { Tables } from './tables.ts';

/** They served lists by status that nothing reads. */
export async function dropStatusIndexes(db: Kysely<unknown>): Promise<void> {
  for (const name of ['installations_status', 'installations_attention']) {
    await db.schema.dropIndex(name).execute();
  }
}

/** The extension `pg_trgm` stays: others may use it. */
export async function moveSearchTexts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('installations')
    .addColumn('search_text', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await sql`update installations set search_text = coalesce((select
      ${'\n'} || text || ${'\n'} || lower(plugin_id) from search_texts
    where installation_id = installations.id), '')`.execute(db);
  await addMissingTexts(db as Kysely<Tables>);
  for (const table of ['search_trigrams', 'search_texts', 'search_filling']) {
    await db.schema.dropTable(table).ifExists().execute();
  }
  await sql`delete from maintenance where name = 'search'`.execute(db);
}

/** Of installations whose text an older version has not written. */
async function addMissingTexts(db: Kysely<Tables>): Promise<void> {
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('installations')
      .select(['id', 'issuer', 'tenant_id as tenantId', 'plugin_id as pluginId', 'name'])
      .where('search_text', '=', '')
      .where('id', '>', last)
      .orderBy('id')
      .limit(1_000)
      .execute();
    if (rows.length === 0) return;
    last = rows.at(-1)?.id ?? '';
    for (const row of rows) {
      await db
        .updateTable('installations')
        .set({ search_text: searchTextOf(row) })
        .where('id', '=', row.id)
        .execute();
    }
  }
}

const rates = ['refreshed', 'refresh_failed', 'events', 'refused', 'shed'] as const;
const groups = ['working', 'risk', 'broken', 'pending', 'paused', 'uninstalled'] as const;

/** An hour that has no minutes any more becomes one minute with its means. */
export async function joinSamples(
  db: Kysely<unknown>,
  { key, storedByKey }: SchemaSpelling,
): Promise<void> {
  let minutes = db.schema
    .createTable('fleet_minutes')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('cause', key, (c) => c.notNull());
  for (const rate of rates) {
    minutes = minutes.addColumn(rate, 'integer', (c) => c.notNull().defaultTo(0));
  }
  for (const group of groups) minutes = minutes.addColumn(group, 'integer');
  await minutes
    .addPrimaryKeyConstraint('fleet_minutes_pkey', ['at', 'cause'])
    .$call(storedByKey)
    .execute();
  const columns = sql.join([...rates, ...groups].map((name) => sql.ref(name)));
  const means = sql.join([
    ...rates.map((rate) => whole(sql`cast(${sql.ref(rate)} as double precision) / minutes`)),
    ...groups.map((group) => whole(sql.ref(`${group}_mean`))),
  ]);
  const isOlder = sql`at < coalesce((select min(at) from fleet_samples), 9000000000000)`;
  await sql`insert into fleet_minutes (at, cause, ${columns})
    select at, '', ${columns} from fleet_samples
    union all select at, '', ${means} from fleet_hours where ${isOlder}`.execute(db);
  await sql`insert into fleet_minutes (at, cause, broken)
    select at, cause, n from fleet_cause_samples
    union all select at, cause, ${whole(sql.ref('n_mean'))} from fleet_cause_hours
      where ${isOlder}`.execute(db);
  const tables = ['fleet_samples', 'fleet_cause_samples', 'fleet_hours', 'fleet_cause_hours'];
  for (const table of tables) await db.schema.dropTable(table).execute();
}

function whole(value: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`cast(round(${value}) as integer)`;
}

/** Alerts have no silences, reminders and stored tests. */
export async function simplifyAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('alert_silences').execute();
  for (const column of ['tellings', 'told_at', 'told_count']) {
    await db.schema.alterTable('alerts').dropColumn(column).execute();
  }
  await sql`delete from alert_messages where kind not in ('opened', 'recovered')`.execute(db);
}

/** The groups of five minutes become counts of an hour. */
export async function countRefusalsByHour(
  db: Kysely<unknown>,
  { key, storedByKey }: SchemaSpelling,
): Promise<void> {
  await db.schema
    .createTable('refusal_counts')
    .addColumn('hour_at', 'bigint', (c) => c.notNull())
    .addColumn('reason', key, (c) => c.notNull())
    .addColumn('n', 'bigint', (c) => c.notNull())
    .addColumn('first_at', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('refusal_counts_key', ['hour_at', 'reason'])
    .$call(storedByKey)
    .execute();
  await sql`insert into refusal_counts (hour_at, reason, n, first_at, last_at)
    select bucket_at - bucket_at % 3600000, reason, sum(n), min(first_at), max(last_at)
    from refusals group by 1, 2`.execute(db);
  await db.schema
    .createTable('last_refusals')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('sender', 'text', (c) => c.notNull())
    .addColumn('plugin', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('last_refusals_at').on('last_refusals').column('at').execute();
  await db.schema.dropTable('refusals').execute();
}

/** What the calls of failing installations met, by process. */
export async function addCallEvidence(
  db: Kysely<unknown>,
  { key, storedByKey }: Pick<SchemaSpelling, 'key' | 'storedByKey'>,
): Promise<void> {
  await db.schema
    .createTable('call_evidence')
    .addColumn('installation_id', key, (c) =>
      c.notNull().references('installations.id').onDelete('cascade'),
    )
    .addColumn('process', key, (c) => c.notNull())
    .addColumn('last_success_at', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('failures', 'bigint', (c) => c.notNull())
    .addColumn('last_failure_at', 'bigint')
    .addColumn('reason', 'text')
    .addColumn('status', 'integer')
    .addColumn('written_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('call_evidence_key', ['installation_id', 'process'])
    .$call(storedByKey)
    .execute();
  await db.schema
    .createIndex('call_evidence_written')
    .on('call_evidence')
    .column('written_at')
    .execute();
}

/** Single calls, for operators. */
export async function addCallLog(
  db: Kysely<unknown>,
  { key }: Pick<SchemaSpelling, 'key'>,
): Promise<void> {
  await db.schema
    .createTable('call_log')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('installation_id', key, (c) =>
      c.notNull().references('installations.id').onDelete('cascade'),
    )
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('first_at', 'bigint', (c) => c.notNull())
    .addColumn('n', 'integer', (c) => c.notNull())
    .addColumn('operation', 'text')
    .addColumn('method', 'text', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('host', 'text')
    .addColumn('status', 'integer')
    .addColumn('reason', 'text')
    .addColumn('fault', 'text')
    .addColumn('duration_ms', 'integer', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('request_id', 'text')
    .addColumn('user_id', 'text')
    .addColumn('answer', 'text')
    .execute();
  const indexes: Record<string, string> = {
    call_log_at: 'call_log (at, id)',
    call_log_failed: 'call_log (at, id) where reason is not null',
    call_log_installation: 'call_log (installation_id, at, id)',
  };
  for (const [name, what] of Object.entries(indexes)) {
    await sql`create index ${sql.ref(name)} on ${sql.raw(what)}`.execute(db);
  }
}

const outcomes = ['succeeded', 'failed', 'refused'];
const callTimes = ['50', '100', '250', '500', '1000', '2500', '10000', 'slower'];

/** Calls by outcome, and by how many milliseconds they took at most. */
export async function addCallSamples(db: Kysely<unknown>): Promise<void> {
  for (const name of [...outcomes, ...callTimes]) {
    await db.schema
      .alterTable('fleet_minutes')
      .addColumn(`calls_${name}`, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  }
}

/** Each delivery of an event, with what it was answered. They replace the newest refusals. */
export async function addDeliveries(
  db: Kysely<unknown>,
  { key }: Pick<SchemaSpelling, 'key'>,
): Promise<void> {
  await db.schema
    .createTable('deliveries')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('plugin', 'text', (c) => c.notNull())
    .addColumn('installation_id', key)
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('is_verified', 'integer', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('reason', key)
    .addColumn('is_repeat', 'integer', (c) => c.notNull())
    .addColumn('duration_ms', 'bigint')
    .addColumn('off_by_seconds', 'bigint')
    .addColumn('sender', 'text', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('body', 'text')
    .addColumn('claims', 'text')
    .execute();
  const indexes: Record<string, string> = {
    deliveries_at: 'deliveries (at, id)',
    deliveries_installation: 'deliveries (installation_id, at, id)',
    // Few are refused, and the list of them must not read all rows.
    deliveries_refused: 'deliveries (at, id) where status >= 400',
    deliveries_reason: 'deliveries (reason, at, id) where reason is not null',
  };
  for (const [name, what] of Object.entries(indexes)) {
    await sql`create index ${sql.ref(name)} on ${sql.raw(what)}`.execute(db);
  }
  // The counts of the reasons stay. An address was kept for strangers only.
  await db.schema.dropTable('last_refusals').execute();
}
