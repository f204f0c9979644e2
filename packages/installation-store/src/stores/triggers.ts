/** The triggers of installations: which process may send one, and how (Spec §4.3). */
import type { Secret } from '@dowel/schema';
import type { Grant, GrantVersion, TriggerClaim } from '@dowel/token-client';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { findOwner, openSecret, openStored } from '../sealing/seal-grant.ts';
import type { Tables } from '../sql/tables.ts';
import { selectInstallations } from './find-installation.ts';
import { hasLapsed, triggerPauseMs } from './lapse.ts';
import type { StoreContext } from './store-context.ts';

interface Turn {
  /** The time until the next trigger, given how many were sent for this token set. */
  pauseMs: (sent: number) => number;
  /** See {@link RenewalStore.claimTrigger}. */
  gapMs: number | undefined;
}

export async function claimTrigger(
  context: StoreContext,
  version: GrantVersion,
  { pauseMs, gapMs }: Turn,
): Promise<TriggerClaim> {
  const isDue = isTurn(context.now, gapMs);
  const row = await readTurn(context, version, isDue);
  if (!row) return { outcome: 'moved' };
  if (row.pausedAt !== null) return { outcome: 'paused' };
  if (!row.isDue) {
    const sinceLast = gapMs === undefined ? undefined : gapMs - (row.sinceMs ?? 0);
    return { outcome: 'too_early', retryInMs: sinceLast ?? row.retryInMs };
  }
  const retryInMs = triggerPauseMs(pauseMs(row.triggers));
  const isTaken = await takeTurn(context, version, { nextInMs: retryInMs, isDue });
  return isTaken ? { outcome: 'claimed', sent: row.triggers } : { outcome: 'too_early', retryInMs };
}

/** Whether the pause since the last trigger is over; for an operator, whether the short gap is. */
function isTurn(now: StoreContext['now'], gapMs: number | undefined): RawBuilder<boolean> {
  if (gapMs === undefined) return hasLapsed(now, 'installations.next_trigger_at');
  return sql<boolean>`(triggered_at is null or triggered_at <= ${now()} - ${gapMs}
    or triggered_at > ${now()})`;
}

function readTurn(
  { db, now }: StoreContext,
  { installationId, generation, tokenVersion }: GrantVersion,
  isDue: RawBuilder<boolean>,
) {
  return db
    .selectFrom('installations')
    .select(['triggers', sql<number>`next_trigger_at - ${now()}`.as('retryInMs')])
    .select(['paused_at as pausedAt', sql<number>`${now()} - triggered_at`.as('sinceMs')])
    .select(isDue.as('isDue'))
    .where('id', '=', installationId)
    .where('generation', '=', generation)
    .where('token_version', '=', tokenVersion)
    .where('status', '!=', 'uninstalled')
    .executeTakeFirst();
}

/** False: another process has claimed the trigger, or an exchange runs. */
async function takeTurn(
  { db, now }: StoreContext,
  { installationId, generation, tokenVersion }: GrantVersion,
  { nextInMs, isDue }: { nextInMs: number; isDue: RawBuilder<boolean> },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installations')
    .set({ triggers: sql`triggers + 1`, triggered_at: now(), ...nextTrigger(now, nextInMs) })
    .where('id', '=', installationId)
    .where('generation', '=', generation)
    .where('token_version', '=', tokenVersion)
    .where('status', '!=', 'uninstalled')
    .where('paused_at', 'is', null)
    .where(isDue)
    // A running exchange brings the tokens that a trigger would request.
    .where(({ and, exists, not, selectFrom }) =>
      and(
        // Before the first tokens there is no grant, only the intent.
        (['grants', 'exchange_intents'] as const).map((table) =>
          not(
            exists(
              selectFrom(table)
                .select('installation_id')
                .where('installation_id', '=', installationId)
                .where(not(hasLapsed(now, 'held_until'))),
            ),
          ),
        ),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function delayTrigger(
  { db, now }: StoreContext,
  { installationId, generation, tokenVersion }: GrantVersion,
  delayMs: number,
): Promise<void> {
  await db
    .updateTable('installations')
    .set(nextTrigger(now, triggerPauseMs(delayMs)))
    .where('id', '=', installationId)
    .where('generation', '=', generation)
    .where('token_version', '=', tokenVersion)
    .execute();
}

/** Healing waits for the next trigger, too. */
function nextTrigger(now: StoreContext['now'], inMs: number) {
  const at = sql<number>`${now()} + ${inMs}`;
  return {
    next_trigger_at: at,
    heal_at: sql<number>`case when heal_at is not null then ${at} end`,
  };
}

/** How to request a new event, according to the newest event, even if its code was not exchanged. */
export async function loadTrigger(
  context: StoreContext,
  installationId: string,
): Promise<Pick<Grant, 'issuer' | 'baseUrl' | 'trigger'> | undefined> {
  const { db, keyring } = context;
  const found = await findTriggerRow(context, installationId);
  const owned = found && (await findOwner(db, installationId));
  if (!owned) return undefined;
  const { row, column } = found;
  const owner = { ...owned, generation: row.generation };
  const trigger = await openStored(db, installationId, () =>
    openTrigger(row, (ciphertext) => openSecret(keyring, owner, column, ciphertext)),
  );
  return { issuer: owned.issuer, baseUrl: row.base_url, trigger };
}

const triggerColumns = ['generation', 'base_url', 'trigger_url', 'trigger_body_sealed'] as const;

/** The newest event's data: from its intent, or from the grant with its tokens. */
async function findTriggerRow({ db }: StoreContext, installationId: string) {
  const installation = await selectInstallations(db)
    .where('installations.id', '=', installationId)
    .executeTakeFirst();
  if (!installation || installation.status === 'uninstalled') return undefined;
  const intent = await db
    .selectFrom('exchange_intents')
    .select([...triggerColumns, 'iat'])
    .where('installation_id', '=', installationId)
    .where('generation', '=', installation.generation)
    .executeTakeFirst();
  if (intent && intent.iat >= (installation.appliedIat ?? 0)) {
    return { row: intent, column: 'intent_trigger_body_sealed' as const };
  }
  const row = await db
    .selectFrom('grants')
    .select(triggerColumns)
    .where('installation_id', '=', installationId)
    .executeTakeFirst();
  return row && { row, column: 'trigger_body_sealed' as const };
}

function openTrigger(
  row: Pick<Selectable<Tables['grants']>, 'trigger_url' | 'trigger_body_sealed'>,
  decrypt: (ciphertext: string) => Secret,
) {
  if (row.trigger_url === null) return null;
  const body = row.trigger_body_sealed === null ? null : decrypt(row.trigger_body_sealed);
  return { url: row.trigger_url, body };
}
