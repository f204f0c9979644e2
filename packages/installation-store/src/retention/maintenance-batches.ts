/** Deletes the oldest rows of each table, a few hundred at a time, found by an index. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

export const batchSize = 500;

/**
 * Each takes epoch milliseconds and deletes rows older than `before`. History is numbered on arrival, so the
 * lowest numbers are the oldest. Entries dated after `latest`, from a clock that ran ahead, are deleted too:
 * otherwise they would block all later ones until that date.
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

  /** The table has few rows: one per sign-in of the last hours. */
  adminSessions: (db: Kysely<Tables>, expiredBy: number) =>
    db
      .deleteFrom('admin_sessions')
      .where((eb) => eb.or([eb('expires_at', '<=', expiredBy), eb('idle_at', '<=', expiredBy)])),

  /** The table has few rows: one per code of the last minutes. */
  signInCodes: (db: Kysely<Tables>, expiredBy: number) =>
    db.deleteFrom('sign_in_codes').where('expires_at', '<=', expiredBy),

  /** The table has a few hundred rows at most. */
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

  hookDeliveries: (db: Kysely<Tables>, before: number) => deleteHooks(db, settledHooks, before),

  parkedHooks: (db: Kysely<Tables>, before: number) => deleteHooks(db, parkedHooks, before),

  /** Those that have ended. */
  outages: (db: Kysely<Tables>, before: number) =>
    db
      .deleteFrom('outages')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('outages as oldest')
          .select('oldest.id')
          .where('oldest.began_at', '<', before)
          .where('oldest.ended_at', '<', before)
          .orderBy('oldest.began_at')
          .limit(batchSize),
      ),

  auditEntries: (db: Kysely<Tables>, before: number) =>
    db
      .deleteFrom('audit')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('audit as oldest')
          .select('oldest.id')
          .where('oldest.at', '<', before)
          .orderBy('oldest.at')
          .orderBy('oldest.id')
          .limit(batchSize),
      ),

  /** A minute has a few rows, so a batch is {@link batchSize} minutes. */
  fleetMinutes: (db: Kysely<Tables>, before: number) =>
    db
      .deleteFrom('fleet_minutes')
      .where('at', 'in', (eb) =>
        eb
          .selectFrom('fleet_minutes as oldest')
          .select('oldest.at')
          .where('oldest.at', '<', before)
          .orderBy('oldest.at')
          .limit(batchSize),
      ),

  /** A few spans of time: each has a few hundred rows at most for each process. */
  refusals: (db: Kysely<Tables>, before: number) =>
    db
      .deleteFrom('refusals')
      .where('bucket_at', 'in', (eb) =>
        eb
          .selectFrom('refusals as oldest')
          .select('oldest.bucket_at')
          .where('oldest.bucket_at', '<', before)
          .orderBy('oldest.bucket_at')
          .limit(batchSize),
      ),

  /** The tables have few rows: a few for each hour in which something is wrong. */
  alerts: (db: Kysely<Tables>, before: number) =>
    db.deleteFrom('alerts').where('recovered_at', '<', before),

  alertMessages: (db: Kysely<Tables>, before: number) =>
    db.deleteFrom('alert_messages').where('settled_at', '<', before),

  /** One at a time: it may have many parts, which are deleted with it. */
  runs: (db: Kysely<Tables>, before: number) =>
    db
      .deleteFrom('runs')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('runs as oldest')
          .select('oldest.id')
          .where('oldest.ended_at', '<', before)
          .orderBy('oldest.ended_at')
          .limit(1),
      ),

  /** @param kept how many row numbers are kept. */
  changes: (db: Kysely<Tables>, kept: number) =>
    db.deleteFrom('changes').where('id', 'in', (eb) =>
      eb
        .selectFrom('changes as oldest')
        .select('oldest.id')
        .where('oldest.id', '<=', (newest) =>
          newest
            .selectFrom('changes as newest')
            .select((row) => sql<number>`${row.fn.max('newest.id')} - ${kept}`.as('last')),
        )
        .orderBy('oldest.id')
        .limit(batchSize),
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

/** The same texts as in the indexes: SQLite compares them. */
const settledHooks = sql<boolean>`state in ('delivered', 'superseded')`;
const parkedHooks = sql<boolean>`state = 'parked'`;

function deleteHooks(db: Kysely<Tables>, isInState: RawBuilder<boolean>, before: number) {
  return (
    db
      .deleteFrom('hook_deliveries')
      .where((eb) =>
        eb(
          eb.refTuple('installation_id', 'sequence'),
          'in',
          eb
            .selectFrom('hook_deliveries as oldest')
            .select(['oldest.installation_id', 'oldest.sequence'])
            .where(isInState)
            .where('oldest.settled_at', '<', before)
            .orderBy('oldest.settled_at')
            .limit(batchSize)
            .$asTuple('installation_id', 'sequence'),
        ),
      )
      // Checked again: a replay may have made it wait meanwhile.
      .where(isInState)
  );
}
