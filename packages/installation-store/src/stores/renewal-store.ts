/** The lease row, the trigger's back-off and the exchange's intent: each step one statement. */
import type { Secret } from '@dowel/schema';
import { type Selectable, sql } from 'kysely';
import type { Keyring } from '../sealing/keyring.ts';
import { findOwner, openGrant, openSecret, openStored, placeOf } from '../sealing/seal-grant.ts';
import { type Database, lockInstallation } from '../sql/database.ts';
import { severalCodes, type Tables } from '../sql/tables.ts';
import type { GrantVersion, Lease, LeaseOutcome, LeaseRequest, RenewalStore } from '../store.ts';
import { selectInstallations } from './installation-store.ts';
import { isOfLife } from './life-rules.ts';

/** What is further ahead than this was written before the clock was set back, and is over. */
const maxAheadMs = {
  lease_until: 60_000,
  held_until: 60_000,
  'exchange_intents.held_until': 60_000,
  bucket_full_at: 60_000,
  next_refresh_at: 20 * 60_000,
  'installations.next_trigger_at': 20 * 60_000,
};
/** An exchange that left its intent behind has surely ended, and it is healed within a minute. */
const staleIntentMs = 45_000;

/** Whole, though jitter is not: PostgreSQL adds no fraction to a point in time. */
function triggerPause(ms: number): number {
  return Math.round(Math.min(ms, maxAheadMs['installations.next_trigger_at']));
}

/** The value of the newer event of one life, as an insert meets a row that is there. */
function newer<Value>(column: keyof Tables['exchange_intents']) {
  const [stored, excluded] = [sql.ref(`exchange_intents.${column}`), sql.ref(`excluded.${column}`)];
  return sql<Value>`case when exchange_intents.generation = excluded.generation
    and exchange_intents.iat > excluded.iat then ${stored} else ${excluded} end`;
}

const isPastBy = (now: Database['now']) => (column: keyof typeof maxAheadMs) =>
  sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} <= ${now()}
    or ${sql.ref(column)} > ${now()} + ${maxAheadMs[column]})`;

/**
 * Installations whose next trigger is due: those that await an event, and those with an exchange that
 * was left behind. Every process asks every few seconds, so neither half may read all installations.
 */
export function selectDue({ db, now }: Pick<Database, 'db' | 'now'>, limit: number) {
  const isPast = isPastBy(now);
  const awaiting = db
    .selectFrom('installations')
    .select(['id as installationId', 'generation', 'token_version as tokenVersion'])
    // As its index says it: SQLite compares the text.
    .where('status', '=', sql.lit('awaiting_event'))
    .where(isPast('installations.next_trigger_at'))
    .limit(limit);
  const leftBehind = db
    .selectFrom('exchange_intents')
    .innerJoin('installations', (join) =>
      join
        .onRef('installations.id', '=', 'exchange_intents.installation_id')
        .onRef('installations.generation', '=', 'exchange_intents.generation'),
    )
    .select([
      'installations.id as installationId',
      'installations.generation',
      'installations.token_version as tokenVersion',
    ])
    // One that began later than that was written before the clock was set back.
    .where(
      sql<boolean>`(exchange_intents.started_at <= ${now()} - ${staleIntentMs}
        or exchange_intents.started_at > ${now()} + ${staleIntentMs})`,
    )
    .where('installations.status', '!=', 'uninstalled')
    .where(isPast('installations.next_trigger_at'))
    .limit(limit);
  return db
    .selectFrom(awaiting.as('awaiting'))
    .selectAll()
    .union(db.selectFrom(leftBehind.as('left_behind')).selectAll())
    .limit(limit);
}

export function createRenewalStore(
  { db, now, locksRows }: Database,
  keyring: Keyring,
  changed: (installationId: string) => void,
): RenewalStore {
  const isPast = isPastBy(now);

  const untilPast = (column: keyof typeof maxAheadMs) =>
    sql<number>`case when ${isPast(column)} then 0 else ${sql.ref(column)} - ${now()} end`;

  const updateLeased = ({ installationId, generation, tokenVersion }: GrantVersion) =>
    db
      .updateTable('grants')
      .where('installation_id', '=', installationId)
      .where('generation', '=', generation)
      .where('token_version', '=', tokenVersion);

  /** Why the lease was not to be had. */
  async function explain(version: GrantVersion, request: LeaseRequest): Promise<LeaseOutcome> {
    const row = await db
      .selectFrom('grants')
      .select([
        'generation',
        'token_version',
        'presented',
        'failures',
        untilPast('lease_until').as('leaseMs'),
        untilPast('held_until').as('holdMs'),
        untilPast('next_refresh_at').as('backOffMs'),
        untilPast('bucket_full_at').as('bucketMs'),
        sql<number>`case when refresh_token_sealed is null then 0 else 1 end`.as('hasRefreshToken'),
      ])
      .where('installation_id', '=', version.installationId)
      .executeTakeFirst();
    if (!row) return { outcome: 'gone' };
    const isMoved =
      row.generation !== version.generation || row.token_version !== version.tokenVersion;
    if (isMoved) return { outcome: 'moved' };
    const heldMs = Math.max(row.leaseMs, row.holdMs);
    if (heldMs > 0) return { outcome: 'held', retryInMs: heldMs };
    const hasRefreshToken = row.hasRefreshToken === 1;
    if (!hasRefreshToken || row.presented >= request.maxPresentations) {
      return { outcome: 'spent', hasRefreshToken };
    }
    const bucketMs = row.bucketMs - (request.burst - 1) * request.intervalMs;
    const retryInMs = Math.max(row.backOffMs, bucketMs);
    // What stood in the way has ended since the lease was asked for.
    if (retryInMs <= 0) return { outcome: 'held', retryInMs: 0 };
    const { failures } = row;
    if (failures > 0) return { outcome: 'backing_off', retryInMs, failures };
    return { outcome: 'rate_limited', retryInMs };
  }

  /** A lease with which nothing was presented. */
  async function giveBack({ sequence, ...version }: Lease, intervalMs: number): Promise<void> {
    await updateLeased(version)
      .set({
        lease_owner: null,
        lease_until: null,
        presented: sql`presented - 1`,
        unanswered: sql`unanswered - 1`,
        bucket_full_at: sql`bucket_full_at - ${intervalMs}`,
      })
      .where('lease_sequence', '=', sequence)
      .execute();
    changed(version.installationId);
  }

  async function findInstallation(id: string) {
    return selectInstallations(db).where('installations.id', '=', id).executeTakeFirst();
  }

  return {
    async acquire(version, request) {
      const { owner, leaseMs, maxPresentations, burst, intervalMs } = request;
      const owned = await findOwner(db, version.installationId);
      const row = await updateLeased(version)
        .set({
          lease_owner: owner,
          lease_until: sql`${now()} + ${leaseMs}`,
          lease_sequence: sql`lease_sequence + 1`,
          presented: sql`presented + 1`,
          unanswered: sql`unanswered + 1`,
          bucket_full_at: sql`${intervalMs} + case when ${isPast('bucket_full_at')} then ${now()}
            else bucket_full_at end`,
        })
        .where('refresh_token_sealed', 'is not', null)
        .where('presented', '<', maxPresentations)
        .where(isPast('lease_until'))
        .where(isPast('held_until'))
        .where(isPast('next_refresh_at'))
        .where(
          sql<boolean>`(${isPast('bucket_full_at')}
            or bucket_full_at <= ${now()} + ${(burst - 1) * intervalMs})`,
        )
        .returningAll()
        .executeTakeFirst();
      if (!row || !owned) return explain(version, request);
      const { lease_sequence: sequence, failures } = row;
      const { installationId, generation, tokenVersion } = version;
      const fence = { installationId, generation, tokenVersion, owner, sequence };
      const lease = { ...fence, failures, unanswered: row.unanswered - 1 };
      const { tenantId } = owned;
      try {
        const grant = await openStored(db, () => openGrant(keyring, row, owned));
        return { outcome: 'acquired', lease, tenantId, grant };
      } catch (error) {
        await giveBack(lease, intervalMs).catch(() => {});
        throw error;
      }
    },

    async release({ sequence, owner, ...version }, { mayBeSpent, mayArrive, retryInMs }) {
      await updateLeased(version)
        .set({
          lease_owner: null,
          lease_until: null,
          presented: mayBeSpent ? sql`presented` : sql`presented - 1`,
          unanswered: mayArrive ? sql`unanswered` : sql`unanswered - 1`,
          failures: sql`failures + 1`,
          next_refresh_at: sql`${now()} + ${retryInMs}`,
        })
        .where('lease_owner', '=', owner)
        .where('lease_sequence', '=', sequence)
        .execute();
      changed(version.installationId);
    },

    async beginExchange(installation, { iat, codeDigest, baseUrl, trigger }, holdMs) {
      const { id } = installation;
      const live = await db
        .selectFrom('installations')
        .select('generation')
        .where('id', '=', id)
        .where('status', '!=', 'uninstalled')
        .where(isOfLife(installation.generation, iat))
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .executeTakeFirst();
      const owned = live && (await findOwner(db, id));
      if (!owned) return undefined;
      const place = placeOf(owned, 'intent_trigger_body_sealed');
      const { generation } = owned;
      const values = {
        generation,
        iat,
        code_digest: codeDigest,
        base_url: baseUrl,
        trigger_url: trigger?.url ?? null,
        trigger_body_sealed: trigger?.body ? keyring.encrypt(trigger.body, place) : null,
        started_at: now(),
      };
      const { presented, unanswered } = await db
        .insertInto('exchange_intents')
        .values({
          installation_id: id,
          presented: 1,
          unanswered: 1,
          held_for: codeDigest,
          held_until: sql`${now()} + ${holdMs}`,
          ...values,
        })
        .onConflict((conflict) =>
          conflict.column('installation_id').doUpdateSet({
            ...values,
            // A newer event's way to ask for another one outlives the exchange of an older.
            iat: newer('iat'),
            base_url: newer('base_url'),
            trigger_url: newer('trigger_url'),
            trigger_body_sealed: newer('trigger_body_sealed'),
            presented: sql`case when exchange_intents.code_digest = ${codeDigest}
              then exchange_intents.presented + 1 else 1 end`,
            // Another code that arrives late may end what this one brings.
            unanswered: sql`case when exchange_intents.generation = excluded.generation
              then exchange_intents.unanswered + 1 else 1 end`,
            held_for: sql`case when exchange_intents.generation <> excluded.generation
              or ${isPast('exchange_intents.held_until')}
              or exchange_intents.held_for = ${codeDigest}
              then ${codeDigest} else ${severalCodes} end`,
            held_until: sql`${now()} + ${holdMs}`,
          }),
        )
        .returning(['presented', 'unanswered'])
        .executeTakeFirstOrThrow();
      await db
        .updateTable('grants')
        .set({
          held_for: sql`case when ${isPast('held_until')} or held_for = ${codeDigest}
            then ${codeDigest} else ${severalCodes} end`,
          held_until: sql`${now()} + ${holdMs}`,
        })
        .where('installation_id', '=', id)
        .execute();
      return { presented, unanswered: unanswered - 1 };
    },

    async endExchange(installationId, codeDigest, ending) {
      // First, as an uninstall does that deletes the same rows.
      await lockInstallation({ db, locksRows }, installationId);
      await db
        .updateTable('grants')
        .set({ held_for: null, held_until: null })
        .where('installation_id', '=', installationId)
        .where('held_for', '=', codeDigest)
        .execute();
      await db
        .updateTable('exchange_intents')
        .set({ held_for: null, held_until: null })
        .where('installation_id', '=', installationId)
        .where('held_for', '=', codeDigest)
        .execute();
      if (ending === 'over') {
        await db
          .deleteFrom('exchange_intents')
          .where('installation_id', '=', installationId)
          .where('code_digest', '=', codeDigest)
          .execute();
      }
      if (ending === 'unspent' || ending === 'deferred') {
        const arrived = ending === 'unspent' ? 1 : 0;
        await db
          .updateTable('exchange_intents')
          .set({
            presented: sql`presented - 1`,
            unanswered: sql`unanswered - ${arrived}`,
          })
          .where('installation_id', '=', installationId)
          .where('code_digest', '=', codeDigest)
          .execute();
      }
      changed(installationId);
    },

    async claimTrigger({ installationId, generation, tokenVersion }, pauseMs) {
      const row = await db
        .selectFrom('installations')
        .select(['triggers', sql<number>`next_trigger_at - ${now()}`.as('retryInMs')])
        .select(isPast('installations.next_trigger_at').as('isDue'))
        .where('id', '=', installationId)
        .where('generation', '=', generation)
        .where('token_version', '=', tokenVersion)
        .where('status', '!=', 'uninstalled')
        .executeTakeFirst();
      if (!row) return { outcome: 'moved' };
      if (!row.isDue) return { outcome: 'too_early', retryInMs: row.retryInMs };
      const nextInMs = triggerPause(pauseMs(row.triggers));
      const { numUpdatedRows } = await db
        .updateTable('installations')
        .set({ triggers: sql`triggers + 1`, next_trigger_at: sql`${now()} + ${nextInMs}` })
        .where('id', '=', installationId)
        .where('generation', '=', generation)
        .where('token_version', '=', tokenVersion)
        .where('status', '!=', 'uninstalled')
        .where(isPast('installations.next_trigger_at'))
        // An exchange under way brings what would be asked for.
        .where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom('grants')
                .select('installation_id')
                .where('installation_id', '=', installationId)
                .where(not(isPast('held_until'))),
            ),
          ),
        )
        .executeTakeFirst();
      return numUpdatedRows === 1n
        ? { outcome: 'claimed', sent: row.triggers }
        : { outcome: 'too_early', retryInMs: nextInMs };
    },

    async delayTrigger({ installationId, generation, tokenVersion }, delayMs) {
      await db
        .updateTable('installations')
        .set({
          next_trigger_at: sql`${now()} + ${triggerPause(delayMs)}`,
        })
        .where('id', '=', installationId)
        .where('generation', '=', generation)
        .where('token_version', '=', tokenVersion)
        .execute();
    },

    async loadTrigger(installationId) {
      const installation = await findInstallation(installationId);
      if (!installation || installation.status === 'uninstalled') return undefined;
      const intent = await db
        .selectFrom('exchange_intents')
        .selectAll()
        .where('installation_id', '=', installationId)
        .where('generation', '=', installation.generation)
        .executeTakeFirst();
      const isNewest = intent !== undefined && intent.iat >= (installation.appliedIat ?? 0);
      const source = isNewest ? intent : await findGrantTrigger(installationId);
      const owned = source && (await findOwner(db, installationId));
      if (!owned) return undefined;
      const column = isNewest ? 'intent_trigger_body_sealed' : 'trigger_body_sealed';
      const owner = { ...owned, generation: source.generation };
      const trigger = await openStored(db, () =>
        openTrigger(source, (ciphertext) => openSecret(keyring, owner, column, ciphertext)),
      );
      return { baseUrl: source.base_url, trigger };
    },

    listDue: (limit) => selectDue({ db, now }, limit).execute(),
  };

  async function findGrantTrigger(installationId: string) {
    return db
      .selectFrom('grants')
      .select(['generation', 'base_url', 'trigger_url', 'trigger_body_sealed'])
      .where('installation_id', '=', installationId)
      .executeTakeFirst();
  }
}

function openTrigger(
  row: Pick<Selectable<Tables['grants']>, 'trigger_url' | 'trigger_body_sealed'>,
  decrypt: (ciphertext: string) => Secret,
) {
  if (row.trigger_url === null) return null;
  const body = row.trigger_body_sealed === null ? null : decrypt(row.trigger_body_sealed);
  return { url: row.trigger_url, body };
}
