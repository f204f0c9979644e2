/** Token sets, one per installation, replaced only by compare-and-swap on (generation, version). */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { selectInstallations } from './installation-store.ts';
import type { Keyring } from './keyring.ts';
import { openGrant, openStored, sealAccess, sealTokens } from './seal-grant.ts';
import type { GrantStore, Installation } from './store.ts';
import { severalCodes } from './tables.ts';

/** A new token set starts without the lease and the failures of the one before. */
const unleased = {
  lease_owner: null,
  lease_until: null,
  presented: 0,
  failures: 0,
  next_refresh_at: null,
};

/**
 * From the tokens of an event that was asked for to the next trigger: a platform that refuses every
 * token it sends would cause one with each of them.
 */
const triggerRestMs = 30_000;

export function createGrantStore(
  { db, now, locksRows }: Database,
  keyring: Keyring,
  changed: (installationId: string) => void,
): GrantStore {
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
        // Only a refresh shows that the platform takes its own tokens.
        next_trigger_at:
          ifVersion === undefined
            ? sql`case when next_trigger_at > ${now()} then ${now()} + ${triggerRestMs} end`
            : null,
        triggers: 0,
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
      if (!row || !installation) return undefined;
      return openStored(db, () => openGrant(keyring, row, installation));
    },

    findVersion: (installationId) =>
      db
        .selectFrom('grants')
        .select([
          'installation_id as installationId',
          'generation',
          'token_version as tokenVersion',
        ])
        .where('installation_id', '=', installationId)
        .executeTakeFirst(),

    async replace(installation, access, tokens, { iat, newestIat }) {
      const { id, generation } = installation;
      const current = await selectInstallations(db)
        .where('installations.id', '=', id)
        .$if(locksRows, (query) => query.forNoKeyUpdate('installations'))
        .executeTakeFirst();
      // A newer event that was applied while this code was exchanged came later, too.
      const isMeanwhile = current?.appliedIat !== installation.appliedIat;
      const limit = isMeanwhile ? iat : newestIat;
      if ((current?.appliedIat ?? iat) > limit && current?.generation === generation) {
        return 'superseded';
      }
      const tokenVersion = await nextVersion(id, generation, undefined);
      if (tokenVersion === undefined) return 'ended';
      const values = {
        generation,
        token_version: tokenVersion,
        ...unleased,
        ...sealAccess(keyring, installation, access),
        ...sealTokens(keyring, installation, tokens),
      };
      await db
        .insertInto('grants')
        .values({ installation_id: id, ...values })
        .onConflict((conflict) => conflict.column('installation_id').doUpdateSet(values))
        .execute();
      await db
        .updateTable('grants')
        .set({ held_for: null, held_until: null })
        .where('installation_id', '=', id)
        .where('held_for', '!=', severalCodes)
        .execute();
      await db
        .updateTable('installations')
        .set({ applied_iat: Math.max(iat, current?.appliedIat ?? iat) })
        .where('id', '=', id)
        .execute();
      await db
        .deleteFrom('exchange_intents')
        .where('installation_id', '=', id)
        .where('iat', '<', iat)
        .execute();
      changed(id);
      return 'stored';
    },

    async commitRefresh({ installationId, generation, tokenVersion: refreshed }, tokens) {
      const installation = await findInstallation(installationId);
      const tokenVersion = await nextVersion(installationId, generation, refreshed);
      if (!installation || tokenVersion === undefined) return false;
      await db
        .updateTable('grants')
        .set({
          token_version: tokenVersion,
          ...unleased,
          ...sealTokens(keyring, installation, tokens),
        })
        .where('installation_id', '=', installationId)
        .execute();
      changed(installationId);
      return true;
    },

    async markAwaitingEvent({ installationId, generation, tokenVersion }, reason, at) {
      const marked = await db
        .updateTable('installations')
        .set({ status: 'awaiting_event', error_reason: reason, error_at: at })
        .where('id', '=', installationId)
        .where('generation', '=', generation)
        .where('token_version', '=', tokenVersion)
        .where('status', 'not in', ['awaiting_event', 'uninstalled'])
        .executeTakeFirst();
      const first = await db
        .selectFrom('installations')
        .select('error_reason as reason')
        .where('id', '=', installationId)
        .where('generation', '=', generation)
        .where('token_version', '=', tokenVersion)
        .where('status', '=', 'awaiting_event')
        .executeTakeFirst();
      if (!first) return undefined;
      let changes = marked.numUpdatedRows;
      // What does not open here may open elsewhere, and be in use there.
      if (reason !== 'secret_integrity') {
        const forgotten = await db
          .updateTable('grants')
          .set({ refresh_token_sealed: null, expires_at: at, lease_owner: null, lease_until: null })
          .where('installation_id', '=', installationId)
          .where((eb) =>
            eb.or([
              eb('refresh_token_sealed', 'is not', null),
              eb('expires_at', 'is', null),
              eb('expires_at', '>', at),
            ]),
          )
          .executeTakeFirst();
        changes += forgotten.numUpdatedRows;
      }
      if (changes > 0n) changed(installationId);
      return first.reason ?? reason;
    },
  };
}
