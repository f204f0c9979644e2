/** Deletes the oldest rows of each table, some hundred at a time, each found by an index. */
import type { Kysely } from 'kysely';
import type { Tables } from '../sql/tables.ts';

export const batchSize = 500;

/**
 * Each takes epoch milliseconds: what is older than `before` goes. History is numbered as it comes, so
 * the first entries by number are the oldest. Those of a clock that ran ahead, dated after `latest`,
 * go with them: else they would stand before all others until then.
 */
export const batches = {
  pluginSessions: (db: Kysely<Tables>, expiredBy: number) =>
    db
      .deleteFrom('plugin_sessions')
      .where('token_hash', 'in', (eb) =>
        eb
          .selectFrom('plugin_sessions as oldest')
          .select('oldest.token_hash')
          .where('oldest.expires_at', '<=', expiredBy)
          .orderBy('oldest.expires_at')
          .limit(batchSize),
      ),

  /** A few rows: one for each sign-in of the last hours. */
  adminSessions: (db: Kysely<Tables>, expiredBy: number) =>
    db
      .deleteFrom('admin_sessions')
      .where((eb) => eb.or([eb('expires_at', '<=', expiredBy), eb('idle_at', '<=', expiredBy)])),

  /** A few hundred rows at most. */
  keyLocations: (db: Kysely<Tables>, before: number) =>
    db.deleteFrom('key_locations').where('used_at', '<', before),

  inboxEntries: (db: Kysely<Tables>, before: number) =>
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

  events: (db: Kysely<Tables>, before: number, latest: number) =>
    db.deleteFrom('events').where('id', 'in', (eb) =>
      eb
        .selectFrom(
          eb
            .selectFrom('events')
            .select(['id', 'received_at'])
            .orderBy('id')
            .limit(batchSize)
            .as('first'),
        )
        .select('first.id')
        .where((first) =>
          first.or([
            first('first.received_at', '<', before),
            first('first.received_at', '>', latest),
          ]),
        ),
    ),

  tokenOperations: (db: Kysely<Tables>, before: number, latest: number) =>
    db.deleteFrom('token_operations').where('id', 'in', (eb) =>
      eb
        .selectFrom(
          eb
            .selectFrom('token_operations')
            .select(['id', 'started_at'])
            .orderBy('id')
            .limit(batchSize)
            .as('first'),
        )
        .select('first.id')
        .where((first) =>
          first.or([
            first('first.started_at', '<', before),
            first('first.started_at', '>', latest),
          ]),
        ),
    ),
};
