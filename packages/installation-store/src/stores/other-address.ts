/**
 * A tenant with two addresses: living installations of one tenant and plug-in under two issuers. They stay two
 * installations; one whose access has ended rests when a newer one has tokens (docs/decisions/0018-one-issuer.md).
 */
import { type RawBuilder, sql } from 'kysely';
import type { InstallationKey } from './find-installation.ts';
import { beginPause, type PauseContext } from './set-pause.ts';
import type { StoreContext } from './store-context.ts';

/** The installation of the same tenant and plug-in under another issuer. */
export interface OtherAddress {
  id: string;
  issuer: string;
  /** Both issuers are of one platform, so the other one rests when its access has ended. */
  mayRest: boolean;
}

export interface MoveEvent {
  /** When the event was signed, in seconds. */
  iat: number;
  /**
   * Whether another issuer's events are signed with the keys of the same platform. Others cannot make an installation
   * rest (docs/decisions/0018).
   */
  isSamePlatform: (issuer: string) => boolean;
}

/** Longer than most outages of a platform. */
const restAfterMs = 60 * 60_000;
const restsPerBatch = 50;

export async function noteMove(
  context: PauseContext & Pick<StoreContext, 'changed'>,
  { issuer, tenantId, pluginId }: InstallationKey,
  { iat, isSamePlatform }: MoveEvent,
): Promise<OtherAddress[]> {
  const { db, now, changed } = context;
  const found = await db
    .selectFrom('installations')
    .select(['id', 'issuer'])
    .where('tenant_id', '=', tenantId)
    .where('plugin_id', '=', pluginId)
    .where('issuer', '!=', issuer)
    .where('status', '!=', 'uninstalled')
    .where('awaits_admission', '=', 0)
    .where('moved_at', 'is', null)
    .where(sql<boolean>`coalesce(applied_iat, 0) < ${iat}`)
    .orderBy('id')
    .execute();
  const others = found.map((each) => ({ ...each, mayRest: isSamePlatform(each.issuer) }));
  for (const { id, mayRest } of others) {
    changed(id);
    // control B12
    if (!mayRest) continue;
    await db.updateTable('installations').set({ moved_at: now() }).where('id', '=', id).execute();
    await restMoved(context, id);
  }
  return others;
}

/** One batch of the installations that have moved and have been without success for an hour; or only this one. */
export async function restMoved(
  context: PauseContext,
  only?: string,
): Promise<{ deleted: number; isLast: boolean }> {
  const { db, locksRows, now } = context;
  const due = await db
    .selectFrom('installations')
    .select('id')
    .where('moved_at', 'is not', null)
    .where('paused_at', 'is', null)
    .where('condition', 'in', ['failing', 'calls_failing', 'awaiting', 'pending'])
    .where(failingSince, '<=', sql<number>`(select ${now()}) - ${restAfterMs}`)
    .$if(only !== undefined, (query) => query.where('id', '=', only ?? ''))
    .limit(restsPerBatch)
    .$if(locksRows, (query) => query.forUpdate().skipLocked())
    .execute();
  for (const { id } of due) await beginPause(context, id, null);
  return { deleted: due.length, isLast: due.length < restsPerBatch };
}

/** An installation that never had tokens has failed since it began; one whose refreshes succeed, since its calls fail. */
const failingSince: RawBuilder<number> = sql`coalesce((select failed.failing_since from grants as failed
  where failed.installation_id = installations.id),
  case when installations.condition = 'calls_failing' then installations.unhealthy_since end,
  installations.created_at)`;
