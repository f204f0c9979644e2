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

    async claim({ installationId, digest }, { owner, now, until }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('inbox')
        .values({
          installation_id: installationId,
          digest,
          received_at: now,
          owner,
          claimed_until: until,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['installation_id', 'digest'])
            .doUpdateSet({ owner, claimed_until: until })
            .where('inbox.status', 'is', null)
            .where((eb) =>
              eb.or([eb('inbox.owner', 'is', null), eb('inbox.claimed_until', '<=', now)]),
            ),
        )
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
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

    async forgetBefore(receivedAt) {
      await db
        .deleteFrom('inbox')
        .where('received_at', '<', receivedAt)
        .where('status', 'is not', null)
        .execute();
    },
  };
}
