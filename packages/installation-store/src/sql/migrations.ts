/** The migrations, forward only. A name is final once it is released. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addConditions } from './conditions-migration.ts';
import type { SchemaSpelling } from './database.ts';
import { mergeIssuers } from './merge-issuers.ts';
import { addOperatorActions } from './operator-migration.ts';

export const createMigrations = ({
  identity,
  identityType,
  key,
  storedByKey,
  inOrderOfCommits,
}: SchemaSpelling): Record<string, Migration> => ({
  '0001_installations': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('installations')
        .addColumn('id', key, (c) => c.primaryKey())
        .addColumn('issuer', key, (c) => c.notNull())
        .addColumn('tenant_id', key, (c) => c.notNull())
        .addColumn('plugin_id', key, (c) => c.notNull())
        .addColumn('status', 'text', (c) => c.notNull())
        .addColumn('generation', 'integer', (c) => c.notNull())
        .addColumn('token_version', 'integer', (c) => c.notNull())
        .addColumn('began_iat', 'bigint', (c) => c.notNull())
        .addColumn('ended_iat', 'bigint')
        .addColumn('applied_iat', 'bigint')
        .addColumn('created_at', 'bigint', (c) => c.notNull())
        .addColumn('error_reason', 'text')
        .addColumn('error_at', 'bigint')
        .addUniqueConstraint('installations_identity', ['issuer', 'tenant_id', 'plugin_id'])
        .execute();
      await db.schema
        .createTable('grants')
        .addColumn('installation_id', key, (c) => c.primaryKey().references('installations.id'))
        .addColumn('generation', 'integer', (c) => c.notNull())
        .addColumn('token_version', 'integer', (c) => c.notNull())
        .addColumn('base_url', 'text', (c) => c.notNull())
        .addColumn('client_id', 'text', (c) => c.notNull())
        .addColumn('client_secret_sealed', 'text', (c) => c.notNull())
        .addColumn('token_endpoint_url', 'text', (c) => c.notNull())
        .addColumn('trigger_url', 'text')
        .addColumn('trigger_body_sealed', 'text')
        .addColumn('access_token_sealed', 'text', (c) => c.notNull())
        .addColumn('refresh_token_sealed', 'text')
        .addColumn('granted_scopes', 'text', (c) => c.notNull())
        .addColumn('issued_at', 'bigint', (c) => c.notNull())
        .addColumn('expires_at', 'bigint')
        .execute();
      await db.schema
        .createTable('instances')
        .addColumn('installation_id', key, (c) => c.notNull().references('installations.id'))
        .addColumn('instance_id', 'text', (c) => c.notNull())
        .addPrimaryKeyConstraint('instances_key', ['installation_id', 'instance_id'])
        .$call(storedByKey)
        .execute();
      await db.schema
        .createTable('events')
        .addColumn('id', identityType, identity)
        .addColumn('installation_id', key, (c) => c.notNull().references('installations.id'))
        .addColumn('event', 'text', (c) => c.notNull())
        .addColumn('received_at', 'bigint', (c) => c.notNull())
        .addColumn('duration_ms', 'integer', (c) => c.notNull())
        .addColumn('status', 'integer', (c) => c.notNull())
        .addColumn('reason', 'text')
        .execute();
      await db.schema
        .createIndex('events_installation')
        .on('events')
        .columns(['installation_id', 'id'])
        .execute();
      await db.schema
        .createTable('inbox')
        .addColumn('installation_id', key, (c) => c.notNull().references('installations.id'))
        .addColumn('digest', 'text', (c) => c.notNull())
        .addColumn('received_at', 'bigint', (c) => c.notNull())
        .addColumn('owner', 'text')
        .addColumn('claimed_until', 'bigint')
        .addColumn('status', 'integer')
        .addColumn('reason', 'text')
        .addPrimaryKeyConstraint('inbox_key', ['installation_id', 'digest'])
        .$call(storedByKey)
        .execute();
      await db.schema
        .createTable('token_operations')
        .addColumn('id', identityType, identity)
        .addColumn('installation_id', key, (c) => c.notNull().references('installations.id'))
        .addColumn('operation', 'text', (c) => c.notNull())
        .addColumn('started_at', 'bigint', (c) => c.notNull())
        .addColumn('duration_ms', 'integer', (c) => c.notNull())
        .addColumn('succeeded', 'integer', (c) => c.notNull())
        .addColumn('token_version', 'integer')
        .addColumn('reason', 'text')
        .execute();
      await db.schema
        .createIndex('token_operations_installation')
        .on('token_operations')
        .columns(['installation_id', 'id'])
        .execute();
      await db.schema
        .createTable('plugin_sessions')
        .addColumn('token_hash', 'text', (c) => c.primaryKey())
        .addColumn('installation_id', key, (c) => c.notNull().references('installations.id'))
        .addColumn('generation', 'integer', (c) => c.notNull())
        .addColumn('user_id', 'text', (c) => c.notNull())
        .addColumn('instance_id', 'text', (c) => c.notNull())
        .addColumn('init_jti', 'text', (c) => c.notNull())
        .addColumn('expires_at', 'bigint', (c) => c.notNull())
        .addUniqueConstraint('plugin_sessions_single_use', ['installation_id', 'init_jti'])
        .execute();
      await db.schema
        .createTable('admin_sessions')
        .addColumn('token_hash', 'text', (c) => c.primaryKey())
        .addColumn('expires_at', 'bigint', (c) => c.notNull())
        .execute();
    },
  },
  '0002_renewals': {
    async up(db: Kysely<unknown>) {
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
        .addColumn('installation_id', key, (c) => c.primaryKey().references('installations.id'))
        .addColumn('generation', 'integer', (c) => c.notNull())
        .addColumn('iat', 'bigint', (c) => c.notNull())
        .addColumn('code_digest', 'text', (c) => c.notNull())
        .addColumn('presented', 'integer', (c) => c.notNull())
        .addColumn('base_url', 'text', (c) => c.notNull())
        .addColumn('trigger_url', 'text')
        .addColumn('trigger_body_sealed', 'text')
        .addColumn('started_at', 'bigint', (c) => c.notNull())
        .execute();
    },
  },
  '0003_key_checks': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('key_checks')
        .addColumn('key_id', 'text', (c) => c.primaryKey())
        .addColumn('value_sealed', 'text', (c) => c.notNull())
        .addColumn('created_at', 'bigint', (c) => c.notNull())
        .execute();
    },
  },
  '0004_reports': {
    async up(db: Kysely<unknown>) {
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
        // For each kind of list in packages/installation-store/src/reports/report-page.ts.
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
    },
  },
  '0005_exchange_hold': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('grants').addColumn('held_for', 'text').execute();
      await db.schema.alterTable('grants').addColumn('held_until', 'bigint').execute();
    },
  },
  '0006_key_uses': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .alterTable('key_checks')
        .addColumn('uses', 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  '0007_order_of_events': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('installations').addColumn('began_by', 'text').execute();
      await db.schema.alterTable('installations').addColumn('sealed_issuer', 'text').execute();
      await db.schema.alterTable('inbox').addColumn('code_iat', 'bigint').execute();
      await sql`create index installations_never_begun on installations (ended_at)
        where status = 'uninstalled' and generation = 0`.execute(db);
      await mergeIssuers(db);
    },
  },
  '0008_key_locations': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('key_locations')
        .addColumn('location', key, (c) => c.primaryKey())
        .addColumn('used_at', 'bigint', (c) => c.notNull())
        .$call(storedByKey)
        .execute();
    },
  },
  '0009_instance_events': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .alterTable('instances')
        .addColumn('changed_iat', 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema
        .alterTable('instances')
        .addColumn('removed', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  '0010_operators_idle': {
    async up(db: Kysely<unknown>) {
      // Existing sessions end: their last use is unknown.
      await db.schema
        .alterTable('admin_sessions')
        .addColumn('idle_at', 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  '0011_tokens_in_doubt': {
    async up(db: Kysely<unknown>) {
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
    },
  },
  '0012_beginnings': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('installations').addColumn('began_code', 'text').execute();
      await db.schema.alterTable('installations').addColumn('installed_iat', 'bigint').execute();
      await sql`update installations set installed_iat = began_iat
        where began_by = 'install' and status <> 'uninstalled'`.execute(db);
      await db.schema.alterTable('exchange_intents').addColumn('held_for', 'text').execute();
      await db.schema.alterTable('exchange_intents').addColumn('held_until', 'bigint').execute();
    },
  },
  '0013_change_log': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('changes')
        .addColumn('id', identityType, identity)
        .addColumn('installation_id', 'text', (c) => c.notNull())
        .addColumn('of_tokens', 'integer', (c) => c.notNull())
        .addColumn('origin', 'text', (c) => c.notNull())
        .$call(inOrderOfCommits)
        .execute();
    },
  },
  '0014_healing': {
    async up(db: Kysely<unknown>) {
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
    },
  },
  '0015_hooks': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .alterTable('installations')
        .addColumn('plugin', 'text', (c) => c.notNull().defaultTo(''))
        .execute();
      for (const name of ['usable_generation', 'awaits_admission']) {
        await db.schema
          .alterTable('installations')
          .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
          .execute();
      }
      await db.schema.alterTable('installations').addColumn('broken_since', 'bigint').execute();
      await sql`update installations set usable_generation = generation
        where status in ('active', 'awaiting_event')`.execute(db);
      await db.schema.alterTable('inbox').addColumn('message', 'text').execute();
      for (const name of ['failing_since', 'probe_at']) {
        await db.schema.alterTable('grants').addColumn(name, 'bigint').execute();
      }
      await db.schema
        .createTable('hook_streams')
        .addColumn('installation_id', key, (c) => c.primaryKey().references('installations.id'))
        .addColumn('next_sequence', 'integer', (c) => c.notNull())
        .addColumn('head_sequence', 'integer', (c) => c.notNull().defaultTo(1))
        .addColumn('due_at', 'bigint')
        .addColumn('lease_owner', 'text')
        .addColumn('lease_sequence', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema
        .createTable('hook_deliveries')
        .addColumn('installation_id', key, (c) => c.notNull().references('installations.id'))
        .addColumn('sequence', 'integer', (c) => c.notNull())
        .addColumn('generation', 'integer', (c) => c.notNull())
        .addColumn('event', 'text', (c) => c.notNull())
        .addColumn('data', 'text', (c) => c.notNull())
        .addColumn('occurred_at', 'bigint', (c) => c.notNull())
        .addColumn('state', 'text', (c) => c.notNull())
        .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('replays', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('unhandled_since', 'bigint')
        .addColumn('last_error', 'text')
        .addColumn('settled_at', 'bigint')
        .addPrimaryKeyConstraint('hook_deliveries_key', ['installation_id', 'sequence'])
        .$call(storedByKey)
        .execute();
      const indexes: Record<string, string> = {
        hook_streams_due: 'hook_streams (due_at) where due_at is not null',
        hook_deliveries_parked: `hook_deliveries (settled_at) where state = 'parked'`,
        hook_deliveries_settled: `hook_deliveries (settled_at)
          where state in ('delivered', 'superseded')`,
        grants_probe: 'grants (probe_at) where probe_at is not null',
      };
      for (const [name, what] of Object.entries(indexes)) {
        await sql`create index ${sql.ref(name)} on ${sql.raw(what)}`.execute(db);
      }
    },
  },
  '0016_conditions': {
    up: (db: Kysely<unknown>) => addConditions(db, { identity, identityType, key }),
  },
  '0018_operators': {
    async up(db: Kysely<unknown>) {
      // Nothing says whose these sessions are. They last twelve hours at most.
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
    },
  },
  '0019_operator_actions': {
    up: (db: Kysely<unknown>) => addOperatorActions(db, { identity, identityType, key }),
  },
  '0020_unread_index': {
    async up(db: Kysely<unknown>) {
      // It served a count that the counts of conditions have replaced.
      await db.schema.dropIndex('installations_failed').execute();
    },
  },
});
