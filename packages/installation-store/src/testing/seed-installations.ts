/**
 * Fills a database with any number of active installations, for measurements. It writes many at once, which
 * the store does not, but with the same values as the store, each sealed separately.
 */
import { createHash } from 'node:crypto';
import { Secret } from '@dowel/schema';
import { type Insertable, type Kysely, sql } from 'kysely';
import { type EngineLocation, openEngine } from '../open-engine.ts';
import type { Keyring } from '../sealing/keyring.ts';
import { createSeal, sealAccess, sealTokens } from '../sealing/seal-grant.ts';
import { migrate } from '../sql/migrate.ts';
import { searchTextOf } from '../sql/search-text.ts';
import type { Tables } from '../sql/tables.ts';
import type { InstallationKey } from '../stores/find-installation.ts';

export interface SeedOptions {
  location: EngineLocation;
  keyring: Keyring;
  count: number;
  /** Epoch milliseconds of the newest; each one before it is a second older. */
  at: number;
  /** Without the statistics that the database plans with, as in production on SQLite. Default false. */
  isUnanalysed?: boolean;
}

const rowsPerStatement = 400;
/** As long as a JWT with a few claims, signed by RSA. */
const accessToken = 'a'.repeat(900);

/** A random-looking id, the same each time. */
function uuidOf(what: string, index: number): string {
  const hex = createHash('sha1').update(`${what} ${index}`).digest('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...groups, hex.slice(20, 32)].join('-');
}

/** What is sealed in the grant of an installation. */
export const seededSecrets = (index: number): string[] => [
  accessToken,
  ...['secret', 'trigger', 'refresh'].map((what) => uuidOf(what, index)),
];

export const seededId = (index: number): string => uuidOf('installation', index);

export function seededKey(index: number): InstallationKey {
  const tenantId = uuidOf('tenant', index);
  return {
    issuer: `https://${tenantId.slice(0, 8)}.example.com`,
    tenantId,
    pluginId: uuidOf('plugin', index),
  };
}

export async function seedInstallations(options: SeedOptions) {
  const { location, keyring, count, at, isUnanalysed = false } = options;
  const engine = await openEngine(location);
  try {
    await migrate(engine);
    // Without time limits, like a migration.
    await engine.exclusive(async (db) => {
      for (let from = 0; from < count; from += rowsPerStatement) {
        const stretch = { from, to: Math.min(count, from + rowsPerStatement) };
        await insertSome(db, stretch);
      }
      await sql`insert into condition_counts (condition, n)
        values ('healthy', ${count})`.execute(db);
      if (!isUnanalysed) await sql`analyze`.execute(db);
    });
  } finally {
    await engine.close();
  }

  async function insertSome(db: Kysely<Tables>, { from, to }: { from: number; to: number }) {
    const indexes = Array.from({ length: to - from }, (_, offset) => from + offset);
    const bornAt = (index: number) => at - (count - index) * 1_000;
    await db
      .insertInto('installations')
      .values(indexes.map((index) => installationRow(index, bornAt(index))))
      .execute();
    await db
      .insertInto('grants')
      .values(indexes.map((index) => grantRow(keyring, index, bornAt(index))))
      .execute();
    await db
      .insertInto('instances')
      .values(indexes.map((each) => ({ installation_id: seededId(each), instance_id: `${each}` })))
      .execute();
    await db
      .insertInto('events')
      .values(indexes.flatMap((index) => eventRows(index, bornAt(index))))
      .execute();
    await db
      .insertInto('token_operations')
      .values(indexes.map((index) => operationRow(index, bornAt(index))))
      .execute();
  }
}

function installationRow(index: number, at: number): Insertable<Tables['installations']> {
  const key = seededKey(index);
  const { issuer, tenantId, pluginId } = key;
  const id = seededId(index);
  const iat = Math.floor(at / 1_000);
  return {
    id,
    search_text: searchTextOf({ ...key, id, name: '' }),
    issuer,
    tenant_id: tenantId,
    plugin_id: pluginId,
    status: 'active',
    generation: 1,
    token_version: 1,
    began_iat: iat,
    applied_iat: iat,
    created_at: at,
    condition: 'healthy',
    granted_scopes: 'plugin:notify',
    scopes_at: at,
    token_expires_at: at + 3_600_000,
    last_event_at: at,
  };
}

function grantRow(keyring: Keyring, index: number, at: number): Insertable<Tables['grants']> {
  const owner = { ...seededKey(index), generation: 1 };
  const access = {
    baseUrl: owner.issuer,
    clientId: uuidOf('client', index),
    clientSecret: new Secret(uuidOf('secret', index)),
    tokenEndpointUrl: 'api/oauth/token',
    trigger: { url: '/api/trigger', body: new Secret(uuidOf('trigger', index)) },
  };
  const tokens = {
    accessToken: new Secret(accessToken),
    refreshToken: new Secret(uuidOf('refresh', index)),
    grantedScopes: ['plugin:notify'],
    issuedAt: at,
    expiresAt: at + 3_600_000,
  };
  const seal = createSeal(keyring, owner);
  return {
    installation_id: seededId(index),
    generation: 1,
    token_version: 1,
    ...sealAccess(seal, access),
    ...sealTokens(seal, tokens),
  };
}

function eventRows(index: number, at: number): Insertable<Tables['events']>[] {
  const row = { installation_id: seededId(index), received_at: at, duration_ms: 40, status: 201 };
  return [
    { ...row, event: 'install' },
    { ...row, event: 'access_token' },
  ];
}

function operationRow(index: number, at: number): Insertable<Tables['token_operations']> {
  return {
    installation_id: seededId(index),
    operation: 'exchange',
    started_at: at,
    duration_ms: 30,
    succeeded: 1,
    token_version: 1,
  };
}
