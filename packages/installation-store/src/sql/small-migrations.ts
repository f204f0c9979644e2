/** Migrations of a few statements, in their order: migrations.ts has their names. They are never changed. */
import { type Kysely, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';
import { mergeIssuers } from './merge-issuers.ts';

export async function addRenewals(db: Kysely<unknown>, spelling: SchemaSpelling): Promise<void> {
  const columns: [string, 'text' | 'bigint' | 'integer'][] = [
    ['lease_owner', 'text'],
    ['lease_until', 'bigint'],
    ['next_refresh_at', 'bigint'],
    ['bucket_full_at', 'bigint'],
  ];
  for (const [name, type] of columns) {
    await db.schema.alterTable('grants').addColumn(name, type).execute();
  }
  for (const name of ['lease_sequence', 'presented', 'failures']) {
    await db.schema
      .alterTable('grants')
      .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await db.schema.alterTable('installations').addColumn('next_trigger_at', 'bigint').execute();
  await db.schema
    .alterTable('installations')
    .addColumn('triggers', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('installations_awaiting')
    .on('installations')
    .column('next_trigger_at')
    .where(sql.ref('status'), '=', sql.lit('awaiting_event'))
    .execute();
  await db.schema
    .createTable('exchange_intents')
    .addColumn('installation_id', spelling.key, (c) =>
      c.primaryKey().references('installations.id'),
    )
    .addColumn('generation', 'integer', (c) => c.notNull())
    .addColumn('iat', 'bigint', (c) => c.notNull())
    .addColumn('code_digest', 'text', (c) => c.notNull())
    .addColumn('presented', 'integer', (c) => c.notNull())
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('trigger_url', 'text')
    .addColumn('trigger_body_sealed', 'text')
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .execute();
}

export async function addKeyChecks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('key_checks')
    .addColumn('key_id', 'text', (c) => c.primaryKey())
    .addColumn('value_sealed', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}

export async function addReportIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('installations').addColumn('ended_at', 'bigint').execute();
  await sql`update installations set ended_at = ended_iat * 1000
    where status = 'uninstalled'`.execute(db);
  await db.schema
    .createTable('maintenance')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .execute();
  await sql`insert into maintenance (name, due_at) values ('retention', 0)`.execute(db);
  const indexes: Record<string, string> = {
    // For lists, by status and by id.
    installations_newest: 'installations (created_at, id)',
    installations_status: 'installations (status, created_at, id)',
    installations_attention: `installations (created_at, id)
      where (status in ('pending', 'awaiting_event')
        or (status = 'active' and error_at is not null))`,
    installations_tenant: 'installations (tenant_id, created_at, id)',
    installations_plugin: 'installations (plugin_id, created_at, id)',
    installations_failed: 'installations (error_at) where error_at is not null',
    // For rows that are deleted when they are old.
    installations_ended: `installations (ended_at) where status = 'uninstalled'`,
    inbox_received: 'inbox (received_at)',
    plugin_sessions_expires: 'plugin_sessions (expires_at)',
  };
  for (const [name, what] of Object.entries(indexes)) {
    await sql`create index ${sql.ref(name)} on ${sql.raw(what)}`.execute(db);
  }
}

export async function addExchangeHold(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('grants').addColumn('held_for', 'text').execute();
  await db.schema.alterTable('grants').addColumn('held_until', 'bigint').execute();
}

export async function countKeyUses(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('key_checks')
    .addColumn('uses', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
}

export async function orderEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('installations').addColumn('began_by', 'text').execute();
  await db.schema.alterTable('installations').addColumn('sealed_issuer', 'text').execute();
  await db.schema.alterTable('inbox').addColumn('code_iat', 'bigint').execute();
  await sql`create index installations_never_begun on installations (ended_at)
    where status = 'uninstalled' and generation = 0`.execute(db);
  await mergeIssuers(db);
}

export async function addKeyLocations(
  db: Kysely<unknown>,
  spelling: SchemaSpelling,
): Promise<void> {
  await db.schema
    .createTable('key_locations')
    .addColumn('location', spelling.key, (c) => c.primaryKey())
    .addColumn('used_at', 'bigint', (c) => c.notNull())
    .$call(spelling.storedByKey)
    .execute();
}

export async function orderInstanceEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('instances')
    .addColumn('changed_iat', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('instances')
    .addColumn('removed', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}

export async function endIdleOperators(db: Kysely<unknown>): Promise<void> {
  // Existing sessions end: their last use is unknown.
  await db.schema
    .alterTable('admin_sessions')
    .addColumn('idle_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
}

export async function addDoubt(db: Kysely<unknown>): Promise<void> {
  for (const table of ['grants', 'exchange_intents']) {
    await db.schema
      .alterTable(table)
      .addColumn('unanswered', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await sql`update ${sql.table(table)} set unanswered = presented`.execute(db);
  }
  await db.schema
    .alterTable('grants')
    .addColumn('in_doubt', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}

export async function addBeginnings(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('installations').addColumn('began_code', 'text').execute();
  await db.schema.alterTable('installations').addColumn('installed_iat', 'bigint').execute();
  await sql`update installations set installed_iat = began_iat
    where began_by = 'install' and status <> 'uninstalled'`.execute(db);
  await db.schema.alterTable('exchange_intents').addColumn('held_for', 'text').execute();
  await db.schema.alterTable('exchange_intents').addColumn('held_until', 'bigint').execute();
}

export async function addChangeLog(db: Kysely<unknown>, spelling: SchemaSpelling): Promise<void> {
  await db.schema
    .createTable('changes')
    .addColumn('id', spelling.identityType, spelling.identity)
    .addColumn('installation_id', 'text', (c) => c.notNull())
    .addColumn('of_tokens', 'integer', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .$call(spelling.inOrderOfCommits)
    .execute();
}

export async function addHealing(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('installations').addColumn('heal_at', 'bigint').execute();
  await sql`update installations set heal_at = coalesce(next_trigger_at, 0)
    where status = 'awaiting_event'`.execute(db);
  await sql`update installations set heal_at = (select started_at + 45000
      from exchange_intents as intent
      where intent.installation_id = installations.id
        and intent.generation = installations.generation)
    where status in ('pending', 'active')`.execute(db);
  await db.schema.dropIndex('installations_awaiting').execute();
  // An index on the status is not used by a database without statistics.
  await sql`create index installations_heal on installations (heal_at)
    where heal_at is not null`.execute(db);
}

export async function dropUnreadIndex(db: Kysely<unknown>): Promise<void> {
  // It served a count that the counts of conditions have replaced.
  await db.schema.dropIndex('installations_failed').execute();
}

export async function findInstancesById(db: Kysely<unknown>): Promise<void> {
  // A page is asked for with the id of its place only.
  await db.schema.createIndex('instances_by_id').on('instances').column('instance_id').execute();
}

export async function addAccountsOfRuns(db: Kysely<unknown>): Promise<void> {
  // Runs under way go on: which account began them is unknown.
  await db.schema.alterTable('runs').addColumn('account_revision', 'text').execute();
}

export async function addWholeRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('runs')
    .addColumn('is_whole', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
}

export async function addBackEnd(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('back_end')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('facts', 'text', (c) => c.notNull())
    .execute();
}

export async function addAuditMeanings(db: Kysely<unknown>): Promise<void> {
  // Rows of before have their English sentence only.
  await db.schema.alterTable('audit').addColumn('meaning', 'text').execute();
}

export async function addEventDetails(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('events').addColumn('detail', 'text').execute();
}

export async function addExchangeAttempts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('exchange_intents').addColumn('attempt', 'text').execute();
}

export async function indexAuditResults(db: Kysely<unknown>): Promise<void> {
  // Few rows have failed, and the list of them must not read all rows.
  await db.schema.createIndex('audit_result').on('audit').columns(['result', 'at', 'id']).execute();
}

export async function addAlertAnswers(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('alert_messages').addColumn('last_answer', 'text').execute();
}

export async function addOperatorLanguages(
  db: Kysely<unknown>,
  { key, storedByKey }: SchemaSpelling,
): Promise<void> {
  await db.schema
    .createTable('operator_languages')
    .addColumn('method', key, (c) => c.notNull())
    .addColumn('name', key, (c) => c.notNull())
    .addColumn('language', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('operator_languages_pkey', ['method', 'name'])
    .$call(storedByKey)
    .execute();
}

export async function addMoves(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('installations').addColumn('moved_at', 'bigint').execute();
  // Few have moved, and maintenance must not read all installations to find them.
  await sql`create index installations_moved on installations (moved_at)
    where moved_at is not null`.execute(db);
}

export async function addPageClaims(db: Kysely<unknown>): Promise<void> {
  // Open sessions have named a placed instance, or none was known: both stay as they are, without claims.
  await db.schema
    .alterTable('plugin_sessions')
    .addColumn('unmatched', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('plugin_sessions').addColumn('claims_sealed', 'text').execute();
  await db.schema
    .alterTable('installations')
    .addColumn('src_matched', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('installations').addColumn('src_form', 'text').execute();
}

export async function addShapes(db: Kysely<unknown>, { key }: SchemaSpelling): Promise<void> {
  await db.schema
    .createTable('shapes')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('shape', 'text', (c) => c.notNull())
    .addColumn('n', 'bigint', (c) => c.notNull())
    .addColumn('first_at', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .execute();
}

/** Older rows name no identity: a name is all that is known of them. */
export async function addOperatorIdentities(db: Kysely<unknown>): Promise<void> {
  for (const table of ['admin_sessions', 'audit', 'runs']) {
    await db.schema.alterTable(table).addColumn('identity', 'text').execute();
  }
  await db.schema
    .alterTable('audit')
    .addColumn('count', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('audit').addColumn('last_at', 'bigint').execute();
}

export async function addKeysOfProcesses(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('key_checks').addColumn('sealing_at', 'bigint').execute();
  await db.schema.alterTable('key_checks').dropColumn('uses').execute();
  await sql`delete from runs where action = 'reencrypt'`.execute(db);
}

export async function keepAdminUrl(db: Kysely<unknown>): Promise<void> {
  // The back end writes its row with each start.
  await db.schema.dropTable('back_end').execute();
  await db.schema
    .createTable('back_end')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('admin_url', 'text', (c) => c.notNull())
    .execute();
}

/** Counts of what was refused before it reached an installation. */
export async function addRefusals(
  db: Kysely<unknown>,
  { key, storedByKey }: Pick<SchemaSpelling, 'key' | 'storedByKey'>,
): Promise<void> {
  await db.schema
    .createTable('refusals')
    .addColumn('bucket_at', 'bigint', (c) => c.notNull())
    .addColumn('reason', key, (c) => c.notNull())
    .addColumn('kind', key, (c) => c.notNull())
    .addColumn('issuer', key, (c) => c.notNull())
    .addColumn('sender', key, (c) => c.notNull())
    .addColumn('plugin', key, (c) => c.notNull())
    .addColumn('n', 'bigint', (c) => c.notNull())
    .addColumn('first_at', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('refusals_key', [
      'bucket_at',
      'reason',
      'kind',
      'issuer',
      'sender',
      'plugin',
    ])
    .$call(storedByKey)
    .execute();
}

/** The texts that searches looked through, which migration 0046 moves into the installations. */
export async function addSearch(
  db: Kysely<unknown>,
  { identity, identityType, key }: SchemaSpelling,
): Promise<void> {
  await db.schema
    .createTable('search_texts')
    .addColumn('number', identityType, identity)
    .addColumn('installation_id', key, (c) => c.notNull().unique().references('installations.id'))
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('name', key)
    .execute();
  await sql`create index search_texts_name on search_texts (name) where name is not null`.execute(
    db,
  );
  await db.schema
    .createTable('search_filling')
    .addColumn('last_id', key, (c) => c.notNull())
    .addColumn('is_complete', 'integer', (c) => c.notNull())
    .execute();
  await sql`insert into search_filling (last_id, is_complete)
    select '', case when exists (select 1 from installations) then 0 else 1 end`.execute(db);
}

/** Who signs in, and how (docs/decisions/0042-sign-in.md). */
export async function addOperators(db: Kysely<unknown>, { key }: SchemaSpelling): Promise<void> {
  // The operators of these sessions are unknown. They last twelve hours at most.
  await sql`delete from admin_sessions`.execute(db);
  for (const name of ['id', 'name', 'role', 'method']) {
    await db.schema
      .alterTable('admin_sessions')
      .addColumn(name, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  }
  await db.schema.alterTable('admin_sessions').addColumn('account_revision', 'text').execute();
  await db.schema
    .alterTable('admin_sessions')
    .addColumn('created_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('operator_accounts')
    .addColumn('name', key, (c) => c.primaryKey())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('revision', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('sign_in_codes')
    .addColumn('digest', key, (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
}

/** Runs of one action over many installations (docs/decisions/0043-operator-actions.md). */
export async function addRuns(
  db: Kysely<unknown>,
  { key }: Pick<SchemaSpelling, 'key'>,
): Promise<void> {
  const counts = ['total', 'position', 'done', 'unchanged', 'refused', 'failed'];
  const runs = db.schema
    .createTable('runs')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('action', key, (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('who', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('way', 'text', (c) => c.notNull())
    .addColumn('from_address', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('refusals', 'text', (c) => c.notNull())
    .addColumn('claim', key)
    .addColumn('leased_until', 'bigint', (c) => c.notNull());
  await counts
    .reduce((table, name) => table.addColumn(name, 'integer', (c) => c.notNull()), runs)
    .execute();
  await sql`create unique index runs_under_way on runs (action) where ended_at is null`.execute(db);
  await db.schema.createIndex('runs_ended').on('runs').column('ended_at').execute();
  await db.schema
    .createTable('run_parts')
    .addColumn('run_id', key, (c) => c.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('part', 'integer', (c) => c.notNull())
    .addColumn('ids', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('run_parts_key', ['run_id', 'part'])
    .execute();
}

/** Links with which people set their passwords, and from where sessions were opened. */
export async function addPeople(db: Kysely<unknown>, { key }: SchemaSpelling): Promise<void> {
  await db.schema.alterTable('operator_accounts').addColumn('link_digest', key).execute();
  await db.schema.alterTable('operator_accounts').addColumn('link_expires_at', 'bigint').execute();
  for (const name of ['address', 'browser', 'system', 'id_token_sealed']) {
    await db.schema.alterTable('admin_sessions').addColumn(name, 'text').execute();
  }
}
