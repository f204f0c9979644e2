/** The oldest rows of each table, some hundred at a time, each found by an index. */
import type { DeleteResult, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export interface Batch {
  deleted: number;
  /** Nothing is left. */
  isLast: boolean;
}

export const batchSize = 500;

/** @param expiredBy epoch milliseconds. */
export function deletePluginSessions(db: Kysely<Tables>, expiredBy: number): Promise<Batch> {
  const oldest = db
    .selectFrom('plugin_sessions')
    .select('token_hash')
    .where('expires_at', '<=', expiredBy)
    .orderBy('expires_at')
    .limit(batchSize);
  return run(db.deleteFrom('plugin_sessions').where('token_hash', 'in', oldest));
}

/** @param expiredBy epoch milliseconds. */
export function deleteAdminSessions(db: Kysely<Tables>, expiredBy: number): Promise<Batch> {
  const oldest = db
    .selectFrom('admin_sessions')
    .select('token_hash')
    .where('expires_at', '<=', expiredBy)
    .limit(batchSize);
  return run(db.deleteFrom('admin_sessions').where('token_hash', 'in', oldest));
}

/** @param before epoch milliseconds of reception. */
export function deleteInboxEntries(db: Kysely<Tables>, before: number): Promise<Batch> {
  return run(
    db
      .deleteFrom('inbox')
      .where((eb) =>
        eb(
          eb.refTuple('installation_id', 'digest'),
          'in',
          eb
            .selectFrom('inbox as oldest')
            .select(['oldest.installation_id', 'oldest.digest'])
            .where('oldest.received_at', '<', before)
            .orderBy('oldest.received_at')
            .limit(batchSize)
            .$asTuple('installation_id', 'digest'),
        ),
      ),
  );
}

/**
 * Entries are numbered as they come, so the first by number are the oldest; those of a clock that was
 * wrong stay until they are old.
 *
 * @param before epoch milliseconds of reception.
 */
export function deleteEvents(db: Kysely<Tables>, before: number): Promise<Batch> {
  const first = db
    .selectFrom('events')
    .select(['id', 'received_at'])
    .orderBy('id')
    .limit(batchSize)
    .as('first');
  const oldest = db.selectFrom(first).select('id').where('received_at', '<', before);
  return run(db.deleteFrom('events').where('id', 'in', oldest));
}

/** @param before epoch milliseconds of their start. */
export function deleteTokenOperations(db: Kysely<Tables>, before: number): Promise<Batch> {
  const first = db
    .selectFrom('token_operations')
    .select(['id', 'started_at'])
    .orderBy('id')
    .limit(batchSize)
    .as('first');
  const oldest = db.selectFrom(first).select('id').where('started_at', '<', before);
  return run(db.deleteFrom('token_operations').where('id', 'in', oldest));
}

async function run(query: { executeTakeFirst(): Promise<DeleteResult> }): Promise<Batch> {
  const { numDeletedRows } = await query.executeTakeFirst();
  return { deleted: Number(numDeletedRows), isLast: numDeletedRows === 0n };
}
