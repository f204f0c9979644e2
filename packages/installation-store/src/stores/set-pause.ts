/** Begins and ends the pause of an installation: by an operator, or by itself (docs/decisions/0018-one-issuer.md). */
import { sql } from 'kysely';
import { lockInstallation } from '../sql/database.ts';
import { settleCondition } from './condition.ts';
import { settleHealing } from './healing.ts';
import { settleProbing } from './probing.ts';
import type { StoreContext } from './store-context.ts';

export type PauseContext = Pick<StoreContext, 'db' | 'now' | 'locksRows' | 'tokensChanged'>;

/**
 * @param pause `null`: the installation rests by itself. An operator's pause takes the place of such a rest.
 * @returns false: it is paused already, or uninstalled.
 */
export async function beginPause(
  context: PauseContext,
  id: string,
  pause: { by: string; reason: string } | null,
): Promise<boolean> {
  const { db, now, tokensChanged } = context;
  await lockInstallation(context, id);
  const { numUpdatedRows } = await db
    .updateTable('installations')
    // Healing skips paused installations, and so do probes. Without a time they do not come before the others
    // in the index.
    .set({
      paused_at: now(),
      paused_by: pause?.by ?? null,
      pause_reason: pause?.reason ?? null,
      heal_at: null,
    })
    .where('id', '=', id)
    .where('status', '!=', 'uninstalled')
    .where(pause ? sql<boolean>`(paused_at is null or paused_by is null)` : isRunning)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await settleProbing(context, id);
  await settleCondition(context, id, { endedBy: 'pause' });
  // Every process drops the token set from its memory.
  tokensChanged(id);
  return true;
}

const isRunning = sql<boolean>`paused_at is null`;

/** @returns false: it is not paused. */
export async function endPause(context: PauseContext, id: string): Promise<boolean> {
  await lockInstallation(context, id);
  const { numUpdatedRows } = await context.db
    .updateTable('installations')
    .set({ paused_at: null, paused_by: null, pause_reason: null, moved_at: null })
    .where('id', '=', id)
    .where('paused_at', 'is not', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await settleResumed(context, id);
  return true;
}

/** The installation's own address is in use. A rest ends; an operator's pause continues. */
export async function endMove(context: PauseContext, id: string): Promise<void> {
  await lockInstallation(context, id);
  const { numUpdatedRows } = await context.db
    .updateTable('installations')
    .set({
      moved_at: null,
      paused_at: sql<number>`case when paused_by is not null then paused_at end`,
    })
    .where('id', '=', id)
    .where('moved_at', 'is not', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await settleResumed(context, id);
}

async function settleResumed(context: PauseContext, id: string): Promise<void> {
  await settleHealing(context, id);
  await settleProbing(context, id);
  await settleCondition(context, id, { endedBy: 'pause' });
  context.tokensChanged(id);
}
