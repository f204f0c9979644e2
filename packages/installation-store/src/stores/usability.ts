/**
 * Whether a life has become usable, and whether it still is (docs/decisions/0036-hooks.md). An installation
 * without a usable access token is found by a time in its grant, as in docs/decisions/0032-healing.md.
 */
import { sql } from 'kysely';
import type { BrokenChange, FailingGrant, RecoveredChange, UsabilityStore } from '../hook-store.ts';
import { lockInstallation } from '../sql/database.ts';
import { accessEnd } from './access-end.ts';
import { isNotPaused } from './pause.ts';
import type { StoreContext } from './store-context.ts';

type Context = Omit<StoreContext, 'keyring'>;

const maxListedInstances = 1_000;

/** The usability of one database's installations. Its methods throw what the database throws. */
export function createUsabilityStore(context: Context): UsabilityStore {
  return {
    becomeUsable: (id, generation) => becomeUsable(context, id, generation),
    listPlacedSinceBegin: (id) => listPlacedSinceBegin(context, id),
    admit: (id, generation) => admit(context, id, generation),
    claimFailing: (claim) => claimFailing(context, claim),
    markBroken: (failing, limit) => markBroken(context, failing, limit),
    endBroken: (id) => endBroken(context, id),
  };
}

async function becomeUsable(
  context: Context,
  id: string,
  generation: number,
): Promise<{ isReinstall: boolean } | undefined> {
  const { db } = context;
  await lockInstallation(context, id);
  const life = await db
    .selectFrom('installations')
    .select('usable_generation as last')
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('usable_generation', '<', generation)
    .where('status', '!=', 'uninstalled')
    .executeTakeFirst();
  if (!life) return undefined;
  await db
    .updateTable('installations')
    .set({ usable_generation: generation })
    .where('id', '=', id)
    .execute();
  return { isReinstall: life.last > 0 };
}

async function listPlacedSinceBegin({ db }: Context, id: string): Promise<string[]> {
  const placed = await db
    .selectFrom('instances')
    .innerJoin('installations', 'installations.id', 'instances.installation_id')
    .select('instances.instance_id as instanceId')
    .where('instances.installation_id', '=', id)
    .where('instances.removed', '=', 0)
    // As for events: what was signed after the end of the former life belongs to this one.
    .where(sql<boolean>`instances.changed_iat > coalesce(installations.ended_iat, -1)`)
    .orderBy('instances.changed_iat')
    .orderBy('instances.instance_id')
    .limit(maxListedInstances)
    .execute();
  return placed.map(({ instanceId }) => instanceId);
}

async function admit({ db }: Context, id: string, generation: number): Promise<void> {
  await db
    .updateTable('installations')
    .set({ awaits_admission: 0 })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('awaits_admission', '=', 1)
    .execute();
}

/** One statement claims and moves, so several processes get different installations. */
async function claimFailing(
  { db, now, skipsLocked }: Context,
  { afterMs, everyMs, limit }: { afterMs: number; everyMs: number; limit: number },
): Promise<FailingGrant[]> {
  const clock = sql<number>`(select ${now()})`;
  const claimed = await db
    .updateTable('grants')
    .set({ probe_at: sql`${now()} + ${everyMs}` })
    .where('installation_id', 'in', (eb) =>
      eb
        .selectFrom('grants as due')
        .select('due.installation_id')
        .where('due.probe_at', '<=', clock)
        .where(isNotPaused('due.installation_id'))
        .where('due.failing_since', '<=', sql<number>`${clock} - ${afterMs}`)
        .where((due) =>
          due.or([
            due('due.expires_at', 'is', null),
            due('due.expires_at', '<=', sql<number>`${clock} - ${afterMs}`),
          ]),
        )
        .orderBy('due.probe_at')
        .limit(limit)
        .$if(skipsLocked, (query) => query.forNoKeyUpdate().skipLocked()),
    )
    .returning(['installation_id', 'generation', 'token_version'])
    .execute();
  if (claimed.length === 0) return [];
  const dead = await db
    .selectFrom('installations')
    .select('id')
    .where('status', '=', 'awaiting_event')
    .where(
      'id',
      'in',
      claimed.map((each) => each.installation_id),
    )
    .execute();
  return claimed.map(({ installation_id: installationId, generation, token_version }) => ({
    installationId,
    generation,
    tokenVersion: token_version,
    isDead: dead.some(({ id }) => id === installationId),
  }));
}

async function markBroken(
  context: Context,
  { installationId, generation, tokenVersion }: FailingGrant,
  { afterMs }: { afterMs: number },
): Promise<BrokenChange | undefined> {
  const { db, now, changed } = context;
  await lockInstallation(context, installationId);
  const broken = await db
    .selectFrom('grants')
    .innerJoin('installations', 'installations.id', 'grants.installation_id')
    .select(['installations.plugin', 'installations.cause'])
    .select(accessEnd.as('since'))
    .where('grants.installation_id', '=', installationId)
    .where('grants.generation', '=', generation)
    .where('grants.token_version', '=', tokenVersion)
    .where('installations.generation', '=', generation)
    .where('installations.usable_generation', '=', generation)
    .where('installations.status', '!=', 'uninstalled')
    .where('installations.broken_since', 'is', null)
    .where('installations.paused_at', 'is', null)
    .where('grants.failing_since', 'is not', null)
    .where(sql<boolean>`${accessEnd} <= ${now()} - ${afterMs}`)
    .executeTakeFirst();
  if (!broken) return undefined;
  const { plugin, since, cause } = broken;
  await db
    .updateTable('installations')
    .set({ broken_since: since })
    .where('id', '=', installationId)
    .execute();
  changed(installationId);
  const data = { since, reason: cause ?? 'unknown' };
  return { installationId, generation, plugin, event: 'broken', data };
}

async function endBroken(
  { db }: Context,
  installationId: string,
): Promise<RecoveredChange | undefined> {
  const broken = await db
    .selectFrom('installations')
    .select(['generation', 'plugin', 'broken_since as brokenSince'])
    .where('id', '=', installationId)
    .where('broken_since', 'is not', null)
    .executeTakeFirst();
  if (!broken) return undefined;
  const { generation, plugin, brokenSince } = broken;
  await db
    .updateTable('installations')
    .set({ broken_since: null })
    .where('id', '=', installationId)
    .execute();
  const data = { brokenSince: brokenSince ?? 0 };
  return { installationId, generation, plugin, event: 'recovered', data };
}
