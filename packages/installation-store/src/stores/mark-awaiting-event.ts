/** A grant whose refresh token is dead: only a new event brings tokens. */

import type { GrantVersion } from '@dowel/token-client';
import { sql } from 'kysely';
import { settleCondition } from './condition.ts';
import { nextTurnAt } from './healing.ts';
import { noteFailure } from './refresh-lease.ts';
import type { StoreContext } from './store-context.ts';

/** Returns the reason that was stored first; undefined if the version is not the current one. */
export async function markAwaitingEvent(
  context: StoreContext,
  version: GrantVersion,
  { reason, at }: { reason: string; at: number },
): Promise<string | undefined> {
  const isMarked = await writeMark(context, version, { reason, at });
  const first = await readMark(context, version);
  if (!first) return undefined;
  if (isMarked) await noteFailure(context, version);
  // Another process may have the key of a value that does not open here, and may use the value.
  const isForgotten = reason !== 'secret_integrity' && (await forgetTokens(context, version, at));
  if (isMarked) {
    await settleCondition(context, version.installationId, { cause: reason, endedBy: 'event' });
  }
  if (isMarked || isForgotten) context.tokensChanged(version.installationId);
  return first.reason ?? reason;
}

/** False if the installation is marked already. */
async function writeMark(
  { db, now }: StoreContext,
  { installationId, generation, tokenVersion }: GrantVersion,
  { reason, at }: { reason: string; at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installations')
    .set({
      status: 'awaiting_event',
      error_reason: reason,
      error_at: at,
      heal_at: nextTurnAt(now),
    })
    .where('id', '=', installationId)
    .where('generation', '=', generation)
    .where('token_version', '=', tokenVersion)
    .where('status', 'not in', ['awaiting_event', 'uninstalled'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function readMark(
  { db }: StoreContext,
  { installationId, generation, tokenVersion }: GrantVersion,
) {
  return db
    .selectFrom('installations')
    .select('error_reason as reason')
    .where('id', '=', installationId)
    .where('generation', '=', generation)
    .where('token_version', '=', tokenVersion)
    .where('status', '=', 'awaiting_event')
    .executeTakeFirst();
}

/** Deletes the refresh token and makes the access token expire, if it has not. False if that was done before. */
async function forgetTokens(
  { db }: StoreContext,
  { installationId, generation, tokenVersion }: GrantVersion,
  at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('grants')
    .set({
      refresh_token_sealed: null,
      expires_at: sql<number>`case when expires_at < ${at} then expires_at else ${at} end`,
      // It was to be looked at when the token ends.
      probe_at: sql<number | null>`case when probe_at = expires_at and probe_at > ${at} then ${at}
        else probe_at end`,
      lease_owner: null,
      lease_until: null,
    })
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
  return numUpdatedRows > 0n;
}
