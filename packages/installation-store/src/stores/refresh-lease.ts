/** The lease of one token set: the right of one process to present the refresh token. One statement each. */

import type {
  FailedRefresh,
  GrantVersion,
  Lease,
  LeaseOutcome,
  LeaseRequest,
} from '@dowel/token-client';
import { sql } from 'kysely';
import { findOwner, openGrant, openStored } from '../sealing/seal-grant.ts';
import { type Database, lockInstallation } from '../sql/database.ts';
import { settleCondition } from './condition.ts';
import { hasLapsed, msUntilLapse } from './lapse.ts';
import { isNotPaused } from './pause.ts';
import { failingFrom } from './probing.ts';
import type { StoreContext } from './store-context.ts';

/** @throws StoreError `SECRET_INTEGRITY`, `KEY_UNKNOWN`; then nothing counts as presented. */
export async function acquireLease(
  context: StoreContext,
  version: GrantVersion,
  request: LeaseRequest,
): Promise<LeaseOutcome> {
  const { db, keyring } = context;
  const owned = await findOwner(db, version.installationId);
  // After the read, which may have waited for the database.
  const hold = context.holdRefresh();
  if (hold.allMs > 0) return { outcome: 'held', retryInMs: hold.allMs };
  const row = await takeLease(context, version, { ...request, isLeftHeld: hold.leftMs > 0 });
  if (!row || !owned) return explainRefusal(context, version, request);
  const { lease_sequence: sequence, failures } = row;
  const { installationId, generation, tokenVersion } = version;
  const fence = { installationId, generation, tokenVersion, owner: request.owner, sequence };
  const lease = { ...fence, failures, unanswered: row.unanswered - 1 };
  const { tenantId } = owned;
  try {
    const grant = await openStored(db, installationId, () => openGrant(keyring, row, owned));
    return { outcome: 'acquired', lease, tenantId, grant };
  } catch (error) {
    await takeBack(context, lease, request.intervalMs).catch(() => {});
    throw error;
  }
}

interface TimelyRequest extends LeaseRequest {
  /** A lease that has lapsed and was not returned still counts. */
  isLeftHeld: boolean;
}

/** Writes the lease and counts the presentation, if nothing prevents it. */
function takeLease(
  { db, now }: StoreContext,
  version: GrantVersion,
  { owner, leaseMs, maxPresentations, burst, intervalMs, isLeftHeld }: TimelyRequest,
) {
  return (
    updateVersion(db, version)
      .set({
        lease_owner: owner,
        lease_until: sql`${now()} + ${leaseMs}`,
        lease_sequence: sql`lease_sequence + 1`,
        presented: sql`presented + 1`,
        unanswered: sql`unanswered + 1`,
        bucket_full_at: sql`${intervalMs} + case when ${hasLapsed(now, 'bucket_full_at')}
        then ${now()} else bucket_full_at end`,
      })
      .where(isNotPaused('grants.installation_id'))
      .where('refresh_token_sealed', 'is not', null)
      .where('presented', '<', maxPresentations)
      // control R5
      .where(hasLapsed(now, 'lease_until'))
      .$if(isLeftHeld, (query) => query.where('lease_owner', 'is', null))
      .where(hasLapsed(now, 'held_until'))
      .where(hasLapsed(now, 'next_refresh_at'))
      .where(
        sql<boolean>`(${hasLapsed(now, 'bucket_full_at')}
        or bucket_full_at <= ${now()} + ${(burst - 1) * intervalMs})`,
      )
      .returningAll()
      .executeTakeFirst()
  );
}

/** Finds out why the lease was not granted. */
async function explainRefusal(
  context: StoreContext,
  version: GrantVersion,
  request: LeaseRequest,
): Promise<LeaseOutcome> {
  const row = await readObstacles(context, version.installationId);
  if (!row) return { outcome: 'gone' };
  const isMoved =
    row.generation !== version.generation || row.token_version !== version.tokenVersion;
  if (isMoved) return { outcome: 'moved' };
  if (row.isRunning === 0) return { outcome: 'paused' };
  const heldMs = Math.max(row.leaseMs, row.holdMs);
  if (heldMs > 0) return { outcome: 'held', retryInMs: heldMs };
  const hasRefreshToken = row.hasRefreshToken === 1;
  if (!hasRefreshToken || row.presented >= request.maxPresentations) {
    return { outcome: 'spent', hasRefreshToken };
  }
  const bucketMs = row.bucketMs - (request.burst - 1) * request.intervalMs;
  const retryInMs = Math.max(row.backOffMs, bucketMs);
  // The obstacle has ended since the lease was requested.
  if (retryInMs <= 0) return { outcome: 'held', retryInMs: 0 };
  const { failures } = row;
  if (failures > 0) return { outcome: 'backing_off', retryInMs, failures };
  return { outcome: 'rate_limited', retryInMs };
}

function readObstacles({ db, now }: StoreContext, installationId: string) {
  return db
    .selectFrom('grants')
    .select([
      'generation',
      'token_version',
      'presented',
      'failures',
      msUntilLapse(now, 'lease_until').as('leaseMs'),
      msUntilLapse(now, 'held_until').as('holdMs'),
      msUntilLapse(now, 'next_refresh_at').as('backOffMs'),
      msUntilLapse(now, 'bucket_full_at').as('bucketMs'),
      sql<number>`case when refresh_token_sealed is null then 0 else 1 end`.as('hasRefreshToken'),
      sql<number>`case when ${isNotPaused('grants.installation_id')} then 1 else 0 end`.as(
        'isRunning',
      ),
    ])
    .where('installation_id', '=', installationId)
    .executeTakeFirst();
}

/** Returns a lease after a refresh without tokens. */
export async function releaseLease(
  context: StoreContext,
  { sequence, owner, ...version }: Lease,
  { mayBeSpent, mayArrive, retryInMs, reason }: FailedRefresh,
): Promise<void> {
  const { db, now, changed } = context;
  // Before the grant, as everywhere: transactions that lock in the same order cannot block each other.
  await lockInstallation(context, version.installationId);
  const { numUpdatedRows } = await updateVersion(db, version)
    .set({
      lease_owner: null,
      lease_until: null,
      presented: mayBeSpent ? sql`presented` : sql`presented - 1`,
      unanswered: mayArrive ? sql`unanswered` : sql`unanswered - 1`,
      failures: sql`failures + 1`,
      next_refresh_at: sql`${now()} + ${retryInMs}`,
      ...failingFrom(now),
    })
    .where('lease_owner', '=', owner)
    .where('lease_sequence', '=', sequence)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) {
    await settleCondition(context, version.installationId, { cause: reason, endedBy: 'refresh' });
  }
  changed(version.installationId);
}

/** Only a new event can replace the token set. */
export async function noteFailure(
  { db, now }: Pick<Database, 'db' | 'now'>,
  version: GrantVersion,
): Promise<void> {
  await updateVersion(db, version).set(failingFrom(now)).execute();
}

/** Restarts the time of an unused lease, or takes it back if it cannot be used any more. */
export async function extendLease(
  context: StoreContext,
  lease: Lease,
  { leaseMs, intervalMs }: Pick<LeaseRequest, 'leaseMs' | 'intervalMs'>,
): Promise<boolean> {
  const { db, now } = context;
  const { sequence, owner, ...version } = lease;
  const { numUpdatedRows } = await updateVersion(db, version)
    .set({ lease_until: sql`${now()} + ${leaseMs}` })
    .where(isNotPaused('grants.installation_id'))
    .where('lease_owner', '=', owner)
    .where('lease_sequence', '=', sequence)
    .where(hasLapsed(now, 'held_until'))
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  await takeBack(context, lease, intervalMs);
  return false;
}

/** Counts an unused lease as not taken, also when another process has taken the next one since then. */
async function takeBack(
  { db, changed }: StoreContext,
  { sequence, owner, ...version }: Lease,
  intervalMs: number,
): Promise<void> {
  const isMine = sql<boolean>`lease_owner = ${owner} and lease_sequence = ${sequence}`;
  await updateVersion(db, version)
    .set({
      lease_until: sql`case when ${isMine} then null else lease_until end`,
      lease_owner: sql`case when ${isMine} then null else lease_owner end`,
      presented: sql`presented - 1`,
      unanswered: sql`unanswered - 1`,
      bucket_full_at: sql`bucket_full_at - ${intervalMs}`,
    })
    .where('presented', '>', 0)
    .where('unanswered', '>', 0)
    .execute();
  changed(version.installationId);
}

/** Only the newest lease can be found. If another process has taken the next one, this one counts. */
export async function takeBackAttempt(
  { db, changed }: StoreContext,
  version: GrantVersion,
  { owner, intervalMs }: Pick<LeaseRequest, 'owner' | 'intervalMs'>,
): Promise<boolean> {
  const { numUpdatedRows } = await updateVersion(db, version)
    .set({
      lease_owner: null,
      lease_until: null,
      presented: sql`presented - 1`,
      unanswered: sql`unanswered - 1`,
      bucket_full_at: sql`bucket_full_at - ${intervalMs}`,
    })
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  changed(version.installationId);
  return true;
}

function updateVersion(
  db: Database['db'],
  { installationId, generation, tokenVersion }: GrantVersion,
) {
  return db
    .updateTable('grants')
    .where('installation_id', '=', installationId)
    .where('generation', '=', generation)
    .where('token_version', '=', tokenVersion);
}
