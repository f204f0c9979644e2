/** Forward-only; each name is final once released. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const migrations: Record<string, Migration> = {
  '0001_installations': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('installations')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('issuer', 'text', (c) => c.notNull())
        .addColumn('tenant_id', 'text', (c) => c.notNull())
        .addColumn('plugin_id', 'text', (c) => c.notNull())
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
        .addColumn('installation_id', 'text', (c) => c.primaryKey().references('installations.id'))
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
        .addColumn('installation_id', 'text', (c) => c.notNull().references('installations.id'))
        .addColumn('instance_id', 'text', (c) => c.notNull())
        .addPrimaryKeyConstraint('instances_key', ['installation_id', 'instance_id'])
        .modifyEnd(sql`without rowid`)
        .execute();
      await db.schema
        .createTable('events')
        .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
        .addColumn('installation_id', 'text', (c) => c.notNull().references('installations.id'))
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
        .addColumn('installation_id', 'text', (c) => c.notNull().references('installations.id'))
        .addColumn('digest', 'text', (c) => c.notNull())
        .addColumn('received_at', 'bigint', (c) => c.notNull())
        .addColumn('owner', 'text')
        .addColumn('claimed_until', 'bigint')
        .addColumn('status', 'integer')
        .addColumn('reason', 'text')
        .addPrimaryKeyConstraint('inbox_key', ['installation_id', 'digest'])
        .modifyEnd(sql`without rowid`)
        .execute();
      await db.schema
        .createTable('token_operations')
        .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
        .addColumn('installation_id', 'text', (c) => c.notNull().references('installations.id'))
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
        .addColumn('installation_id', 'text', (c) => c.notNull().references('installations.id'))
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
        .addColumn('installation_id', 'text', (c) => c.primaryKey().references('installations.id'))
        .addColumn('generation', 'integer', (c) => c.notNull())
        .addColumn('iat', 'bigint', (c) => c.notNull())
        .addColumn('base_url', 'text', (c) => c.notNull())
        .addColumn('trigger_url', 'text')
        .addColumn('trigger_body_sealed', 'text')
        .addColumn('started_at', 'bigint', (c) => c.notNull())
        .execute();
    },
  },
};
