/** Token sets, one per installation, replaced only by compare-and-swap on (generation, version). */
import { type RawBuilder, sql } from 'kysely';
import type { Keyring } from '../sealing/keyring.ts';
import { findOwner, openGrant, openStored, sealAccess, sealTokens } from '../sealing/seal-grant.ts';
import type { Database } from '../sql/database.ts';
import { severalCodes } from '../sql/tables.ts';
import type { EventOrder, GrantStore, Installation } from '../store.ts';
import { isOfLife, leftovers, newLife } from './life-rules.ts';

type Life = Pick<Installation, 'id' | 'generation'>;

/** A new token set starts without the lease and the failures of the one before. */
const unleased = {
  lease_owner: null,
  lease_until: null,
  presented: 0,
  unanswered: 0,
  failures: 0,
  next_refresh_at: null,
};

/**
 * From the tokens of an event that was asked for to the next trigger: a platform that refuses every
 * token it sends would cause one with each of them.
 */
const triggerRestMs = 30_000;

/** More than the presentation that brought the tokens. */
const severalUnanswered = sql<number>`case when grants.unanswered > 1 then 1 else 0 end`;

export function createGrantStore(
  { db, now }: Database,
  keyring: Keyring,
  changed: (installationId: string) => void,
): GrantStore {
  /** Moves the installation to its next token version, if it is still what the writer believes. */
  function nextVersion(id: string, nextTriggerAt: RawBuilder<number> | null) {
    return db
      .updateTable('installations')
      .set({
        token_version: sql`token_version + 1`,
        status: 'active',
        error_reason: null,
        error_at: null,
        next_trigger_at: nextTriggerAt,
        triggers: 0,
      })
      .where('id', '=', id)
      .where('status', '!=', 'uninstalled')
      .returning('token_version');
  }

  /** The tokens of an event that was signed after the end of the last life: its code has begun the next. */
  async function beginNextLife(id: string, iat: number): Promise<void> {
    await db
      .updateTable('installations')
      .set({
        ...leftovers,
        ...newLife(iat, null, false),
        created_at: now(),
        generation: sql`generation + 1`,
      })
      .where('id', '=', id)
      .where('status', '=', 'uninstalled')
      .where('ended_iat', '<', iat)
      .execute();
  }

  /** The tokens of an event: it is of the life that goes on, and no newer event's tokens are there. */
  async function nextVersionByEvent(
    { id, generation, appliedIat }: Life & Pick<Installation, 'appliedIat'>,
    { iat, newestIat }: EventOrder,
  ): Promise<number | undefined> {
    // Only a refresh shows that the platform takes its own tokens.
    const rest = sql<number>`case when next_trigger_at > ${now()}
      then ${now()} + ${triggerRestMs} end`;
    const row = await nextVersion(id, rest)
      .set({
        applied_iat: sql`case when applied_iat > ${iat} then applied_iat else ${iat} end`,
      })
      .where(isOfLife(generation, iat))
      .where((eb) =>
        eb.or([
          eb('applied_iat', 'is', null),
          eb('applied_iat', '<=', iat),
          // A newer event that was applied while this code was exchanged came later, too.
          eb.and([eb('applied_iat', '=', appliedIat), eb('applied_iat', '<=', newestIat)]),
        ]),
      )
      .executeTakeFirst();
    return row?.token_version;
  }

  /** Why an event's tokens were not stored. */
  async function explain({ id, generation }: Life, iat: number): Promise<'superseded' | 'ended'> {
    const current = await db
      .selectFrom('installations')
      .select('id')
      .where('id', '=', id)
      .where('status', '!=', 'uninstalled')
      .where(isOfLife(generation, iat))
      .executeTakeFirst();
    return current ? 'superseded' : 'ended';
  }

  /** Codes that were under way together when there was no grant yet that could say so. */
  async function findHold(id: string, generation: number) {
    const intent = await db
      .selectFrom('exchange_intents')
      .select(['held_for', 'held_until'])
      .where('installation_id', '=', id)
      .where('generation', '=', generation)
      .where('held_for', '=', severalCodes)
      .executeTakeFirst();
    return intent ?? { held_for: null, held_until: null };
  }

  return {
    async load(installationId) {
      const row = await db
        .selectFrom('grants')
        .selectAll()
        .where('installation_id', '=', installationId)
        .executeTakeFirst();
      const owner = row && (await findOwner(db, installationId));
      if (!row || !owner) return undefined;
      return openStored(db, () => openGrant(keyring, row, owner));
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

    async replace(installation, access, tokens, order) {
      const { id } = installation;
      const { iat } = order;
      await beginNextLife(id, iat);
      const tokenVersion = await nextVersionByEvent(installation, order);
      const owner = await findOwner(db, id);
      if (!owner || tokenVersion === undefined) return explain(installation, iat);
      const { generation } = owner;
      const hold = await findHold(id, generation);
      const isInDoubt = tokens.isInDoubt || hold.held_for !== null;
      const values = {
        generation,
        token_version: tokenVersion,
        ...unleased,
        ...sealAccess(keyring, owner, access),
        ...sealTokens(keyring, owner, tokens),
        in_doubt: isInDoubt ? 1 : 0,
      };
      await db
        .insertInto('grants')
        .values({ installation_id: id, ...values, ...hold })
        .onConflict((conflict) =>
          conflict.column('installation_id').doUpdateSet({
            ...values,
            // Of codes that are exchanged at once, the server may end what another one brought.
            in_doubt: sql`case when ${values.in_doubt} = 1 or grants.held_for = ${severalCodes}
              then 1 else ${severalUnanswered} end`,
          }),
        )
        .execute();
      await db
        .updateTable('grants')
        .set({ held_for: null, held_until: null })
        .where('installation_id', '=', id)
        .where('held_for', '!=', severalCodes)
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
      const owner = await findOwner(db, installationId);
      const row = await nextVersion(installationId, null)
        .where('generation', '=', generation)
        .where('token_version', '=', refreshed)
        .executeTakeFirst();
      const tokenVersion = row?.token_version;
      if (!owner || tokenVersion === undefined) return undefined;
      const { in_doubt } = await db
        .updateTable('grants')
        .set({
          token_version: tokenVersion,
          ...unleased,
          ...sealTokens(keyring, owner, tokens),
          in_doubt: severalUnanswered,
        })
        .where('installation_id', '=', installationId)
        .returning('in_doubt')
        .executeTakeFirstOrThrow();
      changed(installationId);
      return { isInDoubt: in_doubt === 1 };
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
          .where('generation', '=', generation)
          .where('token_version', '=', tokenVersion)
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
