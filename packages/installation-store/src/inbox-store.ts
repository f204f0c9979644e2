import type { Kysely } from 'kysely';
import type { InboxKey, InboxStore } from './store.ts';
import type { Tables } from './tables.ts';

export function createInboxStore(db: Kysely<Tables>): InboxStore {
  const update = ({ installationId, digest }: InboxKey) =>
    db
      .updateTable('inbox')
      .where('installation_id', '=', installationId)
      .where('digest', '=', digest)
      .where('status', 'is', null);

  /** Writes the row of an event that is new, was given back, or whose claim has ended. */
  async function take(
    { installationId, digest }: InboxKey,
    now: number,
    row: Pick<Tables['inbox'], 'owner' | 'claimed_until' | 'status' | 'reason'>,
  ): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('inbox')
      .values({ installation_id: installationId, digest, received_at: now, ...row })
      .onConflict((conflict) =>
        conflict
          .columns(['installation_id', 'digest'])
          .doUpdateSet(row)
          .where('inbox.status', 'is', null)
          .where((eb) =>
            eb.or([eb('inbox.owner', 'is', null), eb('inbox.claimed_until', '<=', now)]),
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

    async claim(key, { owner, now, until }) {
      return take(key, now, { owner, claimed_until: until, status: null, reason: null });
    },

    async decide(key, { status, reason }, now) {
      return take(key, now, { owner: null, claimed_until: null, status, reason });
    },

    async settle(key, owner, { status, reason }) {
      const { numUpdatedRows } = await update(key)
        .set({ owner: null, claimed_until: null, status, reason })
        .where('owner', '=', owner)
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
