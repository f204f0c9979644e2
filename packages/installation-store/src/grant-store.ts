/** The only module that turns secrets into ciphertext and back. */
import type { Secret } from '@dowel/schema';
import { type Kysely, type Selectable, sql } from 'kysely';
import { selectInstallations } from './installation-store.ts';
import type { Keyring } from './keyring.ts';
import type { ClientAccess, Grant, GrantStore, Installation, TokenSet } from './store.ts';
import type { Tables } from './tables.ts';

type SecretColumn =
  | 'client_secret_sealed'
  | 'trigger_body_sealed'
  | 'access_token_sealed'
  | 'refresh_token_sealed';

export function createGrantStore(
  db: Kysely<Tables>,
  keyring: Keyring,
  changed: (installationId: string) => void,
): GrantStore {
  function seal(installation: Installation, column: SecretColumn, secret: Secret): string {
    return keyring.encrypt(secret, placeOf(installation, column));
  }

  function sealAccess(installation: Installation, access: ClientAccess) {
    const body = access.trigger?.body;
    return {
      base_url: access.baseUrl,
      client_id: access.clientId,
      client_secret_sealed: seal(installation, 'client_secret_sealed', access.clientSecret),
      token_endpoint_url: access.tokenEndpointUrl,
      trigger_url: access.trigger?.url ?? null,
      trigger_body_sealed: body ? seal(installation, 'trigger_body_sealed', body) : null,
    };
  }

  function sealTokens(installation: Installation, tokens: TokenSet) {
    const { accessToken, refreshToken } = tokens;
    return {
      access_token_sealed: seal(installation, 'access_token_sealed', accessToken),
      refresh_token_sealed: refreshToken
        ? seal(installation, 'refresh_token_sealed', refreshToken)
        : null,
      granted_scopes: tokens.grantedScopes.join(' '),
      issued_at: tokens.issuedAt,
      expires_at: tokens.expiresAt,
    };
  }

  function open(row: Selectable<Tables['grants']>, installation: Installation): Grant {
    const secret = (column: SecretColumn, ciphertext: string) =>
      keyring.decrypt(ciphertext, placeOf(installation, column));
    const optional = (column: SecretColumn, ciphertext: string | null) =>
      ciphertext === null ? null : secret(column, ciphertext);
    return {
      installationId: row.installation_id,
      generation: row.generation,
      tokenVersion: row.token_version,
      baseUrl: row.base_url,
      clientId: row.client_id,
      clientSecret: secret('client_secret_sealed', row.client_secret_sealed),
      tokenEndpointUrl: row.token_endpoint_url,
      trigger:
        row.trigger_url === null
          ? null
          : {
              url: row.trigger_url,
              body: optional('trigger_body_sealed', row.trigger_body_sealed),
            },
      accessToken: secret('access_token_sealed', row.access_token_sealed),
      refreshToken: optional('refresh_token_sealed', row.refresh_token_sealed),
      grantedScopes: row.granted_scopes.split(' ').filter((scope) => scope !== ''),
      issuedAt: row.issued_at,
      expiresAt: row.expires_at,
    };
  }

  async function findInstallation(id: string): Promise<Installation | undefined> {
    return selectInstallations(db).where('installations.id', '=', id).executeTakeFirst();
  }

  /** Moves the installation to its next token version, if it is still what the writer believes. */
  async function nextVersion(
    id: string,
    generation: number,
    ifVersion: number | undefined,
  ): Promise<number | undefined> {
    const row = await db
      .updateTable('installations')
      .set({
        token_version: sql`token_version + 1`,
        status: 'active',
        error_reason: null,
        error_at: null,
      })
      .where('id', '=', id)
      .where('generation', '=', generation)
      .where('status', '!=', 'uninstalled')
      .$if(ifVersion !== undefined, (query) => query.where('token_version', '=', ifVersion ?? 0))
      .returning('token_version')
      .executeTakeFirst();
    return row?.token_version;
  }

  return {
    async load(installationId) {
      const row = await db
        .selectFrom('grants')
        .selectAll()
        .where('installation_id', '=', installationId)
        .executeTakeFirst();
      const installation = row && (await findInstallation(installationId));
      return row && installation && open(row, installation);
    },

    async replace(installation, access, tokens, { iat, newestIat }) {
      const { id, generation } = installation;
      const current = await findInstallation(id);
      if ((current?.appliedIat ?? iat) > newestIat && current?.generation === generation) {
        return 'superseded';
      }
      const tokenVersion = await nextVersion(id, generation, undefined);
      if (tokenVersion === undefined) return 'ended';
      const values = {
        generation,
        token_version: tokenVersion,
        ...sealAccess(installation, access),
        ...sealTokens(installation, tokens),
      };
      await db
        .insertInto('grants')
        .values({ installation_id: id, ...values })
        .onConflict((conflict) => conflict.column('installation_id').doUpdateSet(values))
        .execute();
      await db
        .updateTable('installations')
        .set({ applied_iat: Math.max(iat, current?.appliedIat ?? iat) })
        .where('id', '=', id)
        .execute();
      changed(id);
      return 'stored';
    },

    async commitRefresh(refreshed, tokens) {
      const { installationId, generation } = refreshed;
      const installation = await findInstallation(installationId);
      const tokenVersion = await nextVersion(installationId, generation, refreshed.tokenVersion);
      if (!installation || tokenVersion === undefined) return false;
      await db
        .updateTable('grants')
        .set({ token_version: tokenVersion, ...sealTokens(installation, tokens) })
        .where('installation_id', '=', installationId)
        .execute();
      changed(installationId);
      return true;
    },

    async markAwaitingEvent(grant, reason, at) {
      const { numUpdatedRows } = await db
        .updateTable('installations')
        .set({ status: 'awaiting_event', error_reason: reason, error_at: at })
        .where('id', '=', grant.installationId)
        .where('generation', '=', grant.generation)
        .where('token_version', '=', grant.tokenVersion)
        .where('status', '!=', 'uninstalled')
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await db
        .updateTable('grants')
        .set({ refresh_token_sealed: null, expires_at: at })
        .where('installation_id', '=', grant.installationId)
        .execute();
      changed(grant.installationId);
      return true;
    },
  };
}

function placeOf(installation: Installation, column: SecretColumn): string[] {
  const { issuer, tenantId, pluginId, generation } = installation;
  return [issuer, tenantId, pluginId, String(generation), column];
}
