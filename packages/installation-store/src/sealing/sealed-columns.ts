/**
 * The list of all columns that hold ciphertext, used by re-encryption, counting and the key check, and what binds a
 * ciphertext to its place. The type refuses a list without one of the `_sealed` columns of {@link Tables}.
 */
import type { InstallationLife } from '@dowel/token-client';
import type { Tables } from '../sql/tables.ts';

type SealedOf<Table> = Extract<keyof Table, `${string}_sealed`>;

/** Tables that hold secrets. `key_checks` holds none. */
export type SealedTable = {
  [Name in keyof Tables]: SealedOf<Tables[Name]> extends never ? never : Name;
}[Exclude<keyof Tables, 'key_checks'>];

/** Column → its name in the ciphertext's additional data. Names are final, because stored values contain them. */
export const sealedColumns = {
  grants: {
    client_secret_sealed: 'client_secret_sealed',
    trigger_body_sealed: 'trigger_body_sealed',
    access_token_sealed: 'access_token_sealed',
    refresh_token_sealed: 'refresh_token_sealed',
  },
  exchange_intents: {
    trigger_body_sealed: 'intent_trigger_body_sealed',
  },
  plugin_sessions: {
    claims_sealed: 'claims_sealed',
  },
  admin_sessions: {
    id_token_sealed: 'id_token_sealed',
  },
} as const satisfies { [Name in SealedTable]: Record<SealedOf<Tables[Name]>, string> };

export const sealedTables = Object.keys(sealedColumns) as SealedTable[];

/** The primary key of each table. */
export const rowKeys = {
  grants: 'installation_id',
  exchange_intents: 'installation_id',
  plugin_sessions: 'token_hash',
  admin_sessions: 'token_hash',
} as const satisfies Record<SealedTable, string>;

type NameOf<Columns> = Columns[keyof Columns];
/** A sealed column's name in the additional data. */
export type SecretColumn = {
  [Name in SealedTable]: NameOf<(typeof sealedColumns)[Name]>;
}[SealedTable];

/** The life that a ciphertext belongs to. */
export type Owner = Pick<InstallationLife, 'issuer' | 'tenantId' | 'pluginId' | 'generation'>;

/** The additional data of a session's ciphertext. */
export function placeOfSession(
  table: 'plugin_sessions' | 'admin_sessions',
  tokenHash: string,
): string[] {
  return [table, ...Object.values(sealedColumns[table]), tokenHash];
}

/** The additional data of an installation's ciphertext. */
export function placeOf(owner: Owner, column: SecretColumn): string[] {
  const { issuer, tenantId, pluginId, generation } = owner;
  // control E03
  return [issuer, tenantId, pluginId, String(generation), column];
}
