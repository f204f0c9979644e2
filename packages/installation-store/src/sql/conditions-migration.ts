/**
 * Migration 0016: the values by which the dashboard shows, filters and sorts are stored in the installation's
 * own row.
 */
import { type Kysely, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';

const columns = [
  ['condition', 'text'],
  ['cause', 'text'],
  ['unhealthy_since', 'bigint'],
  ['granted_scopes', 'text'],
  ['scopes_at', 'bigint'],
  ['token_expires_at', 'bigint'],
  ['last_event_at', 'bigint'],
] as const;

/** Sort keys end in the id. Rows without a value are listed after the others, by their age. */
const indexes = {
  installations_unhealthy: 'installations (unhealthy_since, id) where unhealthy_since is not null',
  installations_cause: 'installations (cause, unhealthy_since, id) where cause is not null',
  installations_condition: 'installations (condition, token_expires_at, id)',
  installations_expiry: 'installations (token_expires_at, id) where token_expires_at is not null',
  installations_event: 'installations (last_event_at, id) where last_event_at is not null',
  outages_installation: 'outages (installation_id, id)',
  outages_began: 'outages (began_at)',
};

export async function addConditions(
  db: Kysely<unknown>,
  { identity, identityType, key }: Pick<SchemaSpelling, 'identity' | 'identityType' | 'key'>,
): Promise<void> {
  for (const [name, type] of columns) {
    await db.schema.alterTable('installations').addColumn(name, type).execute();
  }
  await db.schema
    .createTable('condition_counts')
    .addColumn('id', identityType, identity)
    .addColumn('condition', 'text', (c) => c.notNull())
    .addColumn('cause', 'text')
    .addColumn('n', 'integer', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('outages')
    .addColumn('id', identityType, identity)
    .addColumn('installation_id', key, (c) => c.notNull().references('installations.id'))
    .addColumn('generation', 'integer', (c) => c.notNull())
    .addColumn('cause', 'text')
    .addColumn('began_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('ended_by', 'text')
    .execute();
  await fillConditions(db);
  for (const [name, what] of Object.entries(indexes)) {
    await sql`create index ${sql.ref(name)} on ${sql.raw(what)}`.execute(db);
  }
}

/** Derives the conditions from the existing rows. Exact times are unknown where none was stored. */
async function fillConditions(db: Kysely<unknown>): Promise<void> {
  const ofGrant = (column: string) => sql`(select ${sql.ref(column)} from grants
    where grants.installation_id = installations.id)`;
  await sql`update installations set
    granted_scopes = ${ofGrant('granted_scopes')},
    scopes_at = ${ofGrant('issued_at')},
    token_expires_at = ${ofGrant('expires_at')},
    condition = case status when 'uninstalled' then 'uninstalled' when 'pending' then 'pending'
      when 'awaiting_event' then 'awaiting' else
        case when ${ofGrant('refresh_token_sealed')} is null then 'expiring'
          when ${ofGrant('failing_since')} is not null then 'failing' else 'healthy' end end`.execute(
    db,
  );
  await sql`update installations set
    cause = case condition when 'failing' then null else error_reason end,
    unhealthy_since = coalesce(broken_since, ${ofGrant('failing_since')}, error_at, created_at)
    where condition in ('awaiting', 'failing', 'pending')`.execute(db);
  await sql`insert into condition_counts (condition, cause, n)
    select condition, cause, count(*) from installations group by condition, cause`.execute(db);
  await sql`insert into outages (installation_id, generation, cause, began_at)
    select id, generation, cause, unhealthy_since from installations
    where condition in ('awaiting', 'failing')`.execute(db);
}
