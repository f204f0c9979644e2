/** Encrypts and decrypts a grant's secrets. No other module does. */
import { joinScopes, type Secret, splitScope } from '@dowel/schema';
import type { ClientAccess, Grant, TokenSet } from '@dowel/token-client';
import { type Kysely, type Selectable, sql } from 'kysely';
import { StoreError } from '../errors.ts';
import type { Database } from '../sql/database.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { Tables } from '../sql/tables.ts';
import type { Keyring } from './keyring.ts';
import { type Owner, placeOf, type SecretColumn } from './sealed-columns.ts';

/** Has the issuer's spelling that the secrets are sealed with (docs/decisions/0018). */
type FoundOwner = Owner & { id: string; pausedAt: number | null };

export async function findOwner(
  db: Kysely<Tables>,
  installationId: string,
): Promise<FoundOwner | undefined> {
  const { rows } = await selectOwner({ db }, { installationId });
  return rows[0];
}

const selectOwner = prepare(
  ({ db }: Pick<Database, 'db'>, parameter: Parameter<{ installationId: string }>) =>
    db
      .selectFrom('installations')
      .select([
        'id',
        sql<string>`coalesce(sealed_issuer, issuer)`.as('issuer'),
        'tenant_id as tenantId',
        'plugin_id as pluginId',
        'generation',
        'paused_at as pausedAt',
      ])
      .where('id', '=', parameter('installationId')),
);

/** Encrypts one value of an owner, for its column. */
export type Seal = (column: SecretColumn, secret: Secret) => string;

/** Returns what seals an owner's values with the active key. */
export function createSeal(keyring: Keyring, owner: Owner): Seal {
  return (column, secret) => keyring.encrypt(secret, placeOf(owner, column));
}

export function sealAccess(seal: Seal, access: ClientAccess) {
  const { clientSecret, trigger } = access;
  return {
    base_url: access.baseUrl,
    client_id: access.clientId,
    client_secret_sealed: seal('client_secret_sealed', clientSecret),
    token_endpoint_url: access.tokenEndpointUrl,
    trigger_url: trigger?.url ?? null,
    trigger_body_sealed: trigger?.body ? seal('trigger_body_sealed', trigger.body) : null,
  };
}

export function sealTokens(seal: Seal, tokens: TokenSet) {
  const { accessToken, refreshToken } = tokens;
  return {
    access_token_sealed: seal('access_token_sealed', accessToken),
    refresh_token_sealed: refreshToken ? seal('refresh_token_sealed', refreshToken) : null,
    granted_scopes: joinScopes(tokens.grantedScopes),
    issued_at: tokens.issuedAt,
    expires_at: tokens.expiresAt,
  };
}

/** @throws StoreError `SECRET_INTEGRITY` that names the installation: only its own calls fail. */
export function openSecret(
  keyring: Keyring,
  owner: Owner & { id: string },
  column: SecretColumn,
  ciphertext: string,
): Secret {
  try {
    return keyring.decrypt(ciphertext, placeOf(owner, column));
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new StoreError(
      cause.code,
      `Installation ${owner.id}: ${cause.message}. Ask the platform for a new access_token event, or install again.`,
      { cause, installationId: owner.id, keyId: cause.keyId },
    );
  }
}

/**
 * Distinguishes a damaged value from one that other processes can open, because they have its key. Such a value
 * must not be replaced.
 *
 * @throws StoreError `KEY_UNKNOWN`, `SECRET_INTEGRITY`.
 */
export async function openStored<Opened>(
  db: Kysely<Tables>,
  installationId: string,
  open: () => Opened,
): Promise<Opened> {
  try {
    return open();
  } catch (cause) {
    if (!(cause instanceof StoreError) || cause.keyId === undefined) throw cause;
    const { keyId } = cause;
    const check = await db
      .selectFrom('key_checks')
      .select('key_id')
      .where('key_id', '=', keyId)
      .executeTakeFirst();
    if (!check) throw cause;
    throw new StoreError(
      'KEY_UNKNOWN',
      `Installation ${installationId} is sealed with key ${keyId}, which this process does not have. Put the key into its key file (DOWEL_KEY_FILE) and restart this process; nothing is lost.`,
      { cause, installationId, keyId },
    );
  }
}

/** @throws StoreError `SECRET_INTEGRITY`. */
export function openGrant(
  keyring: Keyring,
  row: Selectable<Tables['grants']>,
  { generation: _newest, pausedAt, ...installation }: FoundOwner,
): Grant {
  // The installation was read by another statement, so its next life may have begun in between.
  const owner = { ...installation, generation: row.generation };
  const open = (column: SecretColumn, ciphertext: string) =>
    openSecret(keyring, owner, column, ciphertext);
  const optional = (column: SecretColumn, ciphertext: string | null) =>
    ciphertext === null ? null : open(column, ciphertext);
  return {
    installationId: row.installation_id,
    generation: row.generation,
    tokenVersion: row.token_version,
    issuer: installation.issuer,
    baseUrl: row.base_url,
    clientId: row.client_id,
    clientSecret: open('client_secret_sealed', row.client_secret_sealed),
    tokenEndpointUrl: row.token_endpoint_url,
    trigger:
      row.trigger_url === null
        ? null
        : { url: row.trigger_url, body: optional('trigger_body_sealed', row.trigger_body_sealed) },
    accessToken: open('access_token_sealed', row.access_token_sealed),
    refreshToken: optional('refresh_token_sealed', row.refresh_token_sealed),
    grantedScopes: splitScope(row.granted_scopes),
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    isInDoubt: row.in_doubt === 1,
    isPaused: pausedAt !== null,
  };
}
