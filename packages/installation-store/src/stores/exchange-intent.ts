/**
 * The intent of an exchange: a row, written before an event's code is sent. It prevents refreshes in the
 * meantime, and contains the data to request a new event if the process dies.
 */
import type { ExchangeEnding, ExchangeIntent, InstallationLife } from '@dowel/token-client';
import { sql } from 'kysely';
import { createSeal, findOwner } from '../sealing/seal-grant.ts';
import type { Owner } from '../sealing/sealed-columns.ts';
import { lockInstallation } from '../sql/database.ts';
import { severalCodes, type Tables } from '../sql/tables.ts';
import { settleHealing } from './healing.ts';
import { hasLapsed } from './lapse.ts';
import { isOfLife } from './life-rules.ts';
import { endUnprovenLife } from './lives.ts';
import type { StoreContext } from './store-context.ts';

type Hold = Pick<ExchangeIntent, 'codeDigest'> & { installationId: string; holdMs: number };

/** Undefined when the installation's life has ended. */
export async function beginExchange(
  context: StoreContext,
  installation: InstallationLife,
  { holdMs, ...intent }: ExchangeIntent & { holdMs: number },
): Promise<{ presented: number; unanswered: number } | undefined> {
  const owner = await findLiveOwner(context, installation, intent.iat);
  if (!owner) return undefined;
  const hold = { installationId: installation.id, codeDigest: intent.codeDigest, holdMs };
  const { presented, unanswered } = await writeIntent(context, hold, { owner, intent });
  await holdGrant(context, hold);
  await settleHealing(context, installation.id);
  return { presented, unanswered: unanswered - 1 };
}

/** Locks the installation if its life continues. */
async function findLiveOwner(
  { db, locksRows }: StoreContext,
  { id, generation }: InstallationLife,
  iat: number,
) {
  const live = await db
    .selectFrom('installations')
    .select('generation')
    .where('id', '=', id)
    .where('status', '!=', 'uninstalled')
    .where(isOfLife(generation, iat))
    .$if(locksRows, (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  return live && findOwner(db, id);
}

/** Writes the intent, or counts one more presentation if it exists. */
async function writeIntent(
  context: StoreContext,
  { installationId, codeDigest, holdMs }: Hold,
  { owner, intent }: { owner: Owner; intent: ExchangeIntent },
) {
  const { db, now } = context;
  const { iat, baseUrl, trigger, attempt = null } = intent;
  const seal = createSeal(context.keyring, owner);
  const values = {
    generation: owner.generation,
    iat,
    code_digest: codeDigest,
    attempt,
    base_url: baseUrl,
    trigger_url: trigger?.url ?? null,
    trigger_body_sealed: trigger?.body ? seal('intent_trigger_body_sealed', trigger.body) : null,
    started_at: now(),
  };
  const heldUntil = sql<number>`${now()} + ${holdMs}`;
  const hold = { held_for: codeDigest, held_until: heldUntil };
  return db
    .insertInto('exchange_intents')
    .values({ installation_id: installationId, presented: 1, unanswered: 1, ...hold, ...values })
    .onConflict((conflict) =>
      conflict.column('installation_id').doUpdateSet({
        ...values,
        // A newer event's trigger is kept, even if an older event is exchanged later.
        iat: newer('iat'),
        base_url: newer('base_url'),
        trigger_url: newer('trigger_url'),
        trigger_body_sealed: newer('trigger_body_sealed'),
        presented: sql`case when exchange_intents.code_digest = ${codeDigest}
          then exchange_intents.presented + 1 else 1 end`,
        // Another code that arrives late may revoke this code's tokens.
        unanswered: sql`case when exchange_intents.generation = excluded.generation
          then exchange_intents.unanswered + 1 else 1 end`,
        held_for: sql`case when exchange_intents.generation <> excluded.generation
          or ${hasLapsed(now, 'exchange_intents.held_until')}
          or exchange_intents.held_for = ${codeDigest}
          then ${codeDigest} else ${severalCodes} end`,
        held_until: heldUntil,
      }),
    )
    .returning(['presented', 'unanswered'])
    .executeTakeFirstOrThrow();
}

/** For an insert that finds an existing row: the value of the newer of two events of one life. */
function newer<Value>(column: keyof Tables['exchange_intents']) {
  const [stored, excluded] = [sql.ref(`exchange_intents.${column}`), sql.ref(`excluded.${column}`)];
  return sql<Value>`case when exchange_intents.generation = excluded.generation
    and exchange_intents.iat > excluded.iat then ${stored} else ${excluded} end`;
}

async function holdGrant(
  { db, now }: StoreContext,
  { installationId, codeDigest, holdMs }: Hold,
): Promise<void> {
  await db
    .updateTable('grants')
    .set({
      held_for: sql`case when ${hasLapsed(now, 'held_until')} or held_for = ${codeDigest}
        then ${codeDigest} else ${severalCodes} end`,
      held_until: sql`${now()} + ${holdMs}`,
    })
    .where('installation_id', '=', installationId)
    .execute();
}

export async function endExchange(
  context: StoreContext,
  installationId: string,
  { code, ending }: { code: string | { attempt: string }; ending: ExchangeEnding },
): Promise<boolean> {
  // Locks the installation first, because an uninstall deletes the same rows in the same order.
  await lockInstallation(context, installationId);
  const codeDigest =
    typeof code === 'string' ? code : await forgetAttempt(context, installationId, code.attempt);
  if (codeDigest === undefined) return false;
  const exchange = { installationId, codeDigest };
  await endHolds(context, exchange);
  if (ending === 'over') {
    await deleteIntent(context, exchange);
    await endUnprovenLife(context, installationId);
  }
  if (ending === 'unspent' || ending === 'deferred') {
    await uncountPresentation(context, { ...exchange, ending });
  }
  context.changed(installationId);
  return true;
}

/** The digest of its code. Only the newest attempt can be found, once. */
async function forgetAttempt({ db }: StoreContext, installationId: string, attempt: string) {
  const row = await db
    .updateTable('exchange_intents')
    .set({ attempt: null })
    .where('installation_id', '=', installationId)
    .where('attempt', '=', attempt)
    .returning('code_digest')
    .executeTakeFirst();
  return row?.code_digest;
}

interface Code {
  installationId: string;
  codeDigest: string;
}

async function endHolds({ db }: StoreContext, { installationId, codeDigest }: Code): Promise<void> {
  for (const table of ['grants', 'exchange_intents'] as const) {
    await db
      .updateTable(table)
      .set({ held_for: null, held_until: null })
      .where('installation_id', '=', installationId)
      .where('held_for', '=', codeDigest)
      .execute();
  }
}

async function deleteIntent(
  { db }: StoreContext,
  { installationId, codeDigest }: Code,
): Promise<void> {
  await db
    .deleteFrom('exchange_intents')
    .where('installation_id', '=', installationId)
    .where('code_digest', '=', codeDigest)
    .execute();
}

/** The code was not spent. If it may still arrive, it still counts as unanswered. */
async function uncountPresentation(
  { db }: StoreContext,
  { installationId, codeDigest, ending }: Code & { ending: 'unspent' | 'deferred' },
): Promise<void> {
  const arrived = ending === 'unspent' ? 1 : 0;
  await db
    .updateTable('exchange_intents')
    .set({ presented: sql`presented - 1`, unanswered: sql`unanswered - ${arrived}` })
    .where('installation_id', '=', installationId)
    .where('code_digest', '=', codeDigest)
    .execute();
}
