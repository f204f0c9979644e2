import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import type { InboxKey, InboxStore } from '../store.ts';

/** A claim that ends later than this was made before the clock was set back, and is over. */
const maxAheadMs = 60_000;

/** What the lifecycle answers to an event that it takes (Spec §4.1). */
const acceptedStatus = 201;

type Row = Pick<Tables['inbox'], 'owner' | 'status' | 'reason'> & {
  claimed_until: RawBuilder<number> | null;
  code_iat: number | null;
};

export function createInboxStore({ db, now }: Database): InboxStore {
  const update = ({ installationId, digest }: InboxKey) =>
    db
      .updateTable('inbox')
      .where('installation_id', '=', installationId)
      .where('digest', '=', digest)
      .where('status', 'is', null);

  /**
   * Writes the row of an event that is new, was given back, or whose claim has ended. A code counts from
   * when its first copy was signed.
   */
  async function take(
    { installationId, digest }: InboxKey,
    receivedAt: number,
    row: Row,
  ): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('inbox')
      .values({ installation_id: installationId, digest, received_at: receivedAt, ...row })
      .onConflict((conflict) =>
        conflict
          .columns(['installation_id', 'digest'])
          .doUpdateSet({
            ...row,
            code_iat: sql`case when inbox.code_iat < ${row.code_iat}
              then inbox.code_iat else ${row.code_iat} end`,
          })
          .where('inbox.status', 'is', null)
          .where(
            sql<boolean>`(inbox.owner is null or inbox.claimed_until <= ${now()}
              or inbox.claimed_until > ${now()} + ${maxAheadMs})`,
          ),
      )
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  return {
    async findVerdict({ installationId, digest }) {
      const row = await db
        .selectFrom('inbox')
        .select(['status', 'reason'])
        .where('installation_id', '=', installationId)
        .where('digest', '=', digest)
        .executeTakeFirst();
      return row?.status == null ? undefined : { status: row.status, reason: row.reason };
    },

    async claim(key, { owner, claimMs, receivedAt, codeIat = null }) {
      const claimed_until = sql<number>`${now()} + ${claimMs}`;
      const undecided = { status: null, reason: null, code_iat: codeIat };
      return take(key, receivedAt, { owner, claimed_until, ...undecided });
    },

    async decide(key, { status, reason }, receivedAt, codeIat = null) {
      const decided = { status, reason, code_iat: codeIat };
      return take(key, receivedAt, { owner: null, claimed_until: null, ...decided });
    },

    async retireCodes(installationId, { status, reason }, { signedBy, withAccepted }) {
      await db
        .updateTable('inbox')
        .set({ owner: null, claimed_until: null, status, reason })
        .where('installation_id', '=', installationId)
        .where('code_iat', 'is not', null)
        .where((eb) =>
          eb.or([
            eb('code_iat', '<=', signedBy),
            ...(withAccepted ? [eb('status', '=', acceptedStatus)] : []),
          ]),
        )
        .execute();
    },

    async settle(key, owner, { status, reason }) {
      const { numUpdatedRows } = await update(key)
        .set({ owner: null, claimed_until: null, status, reason })
        .$if(owner !== null, (query) => query.where('owner', '=', owner))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    async release(key, owner) {
      await update(key)
        .set({ owner: null, claimed_until: null })
        .where('owner', '=', owner)
        .execute();
    },
  };
}
