/** Migration 0001: installations with their grants, their history and the sessions. */
import type { Kysely } from 'kysely';
import type { SchemaSpelling } from './database.ts';

/** Creates the tables of the first version. */
export async function createFirstTables(
  db: Kysely<unknown>,
  spelling: SchemaSpelling,
): Promise<void> {
  await createInstallations(db, spelling);
  await createHistory(db, spelling);
  await createSessions(db, spelling);
}

async function createInstallations(db: Kysely<unknown>, { key, storedByKey }: SchemaSpelling) {
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
}

async function createHistory(
  db: Kysely<unknown>,
  { identity, identityType, key, storedByKey }: SchemaSpelling,
) {
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
}

async function createSessions(db: Kysely<unknown>, { key }: SchemaSpelling) {
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
}
