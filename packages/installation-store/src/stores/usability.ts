/**
 * Whether a life has become usable, and whether it still is (docs/decisions/0036-hooks.md). An installation
 * without a usable access token is found by a time in its grant, as in healing.ts.
 */
import type {
  BrokenChange,
  BrokenInstallations,
  FailingGrant,
  RecoveredChange,
} from '@dowel/token-client';
import { sql } from 'kysely';
import { lockInstallation } from '../sql/database.ts';
import { accessEnd } from './access-end.ts';
import { settleCondition } from './condition.ts';
import { claimDueProbes, endProbing } from './probing.ts';
import type { StoreContext } from './store-context.ts';

type Context = Omit<StoreContext, 'keyring'>;

const maxListedInstances = 1_000;

/** The usability of one database's installations. Its methods throw what the database throws. */
export function createUsabilityStore(context: Context) {
  return {
    /**
     * The plug-in can work from now on: its first tokens are stored, or it needs none. Call it in the
     * transaction that decides the event.
     *
     * @returns whether an earlier life of the installation was usable; undefined: this one was already.
     */
    becomeUsable: (id: string, generation: number) => becomeUsable(context, id, generation),
    /** The widgets placed since this life began, at most 1,000, because a hook receives them after `installed`. */
    listPlacedSinceBegin: (id: string) => listPlacedSinceBegin(context, id),
    /** The plug-in's `beforeInstall` has let this life in. */
    admit: (id: string, generation: number) => admit(context, id, generation),
    claimFailing: (claim: Parameters<BrokenInstallations['claimFailing']>[0]) =>
      claimFailing(context, claim),
    markBroken: (failing: FailingGrant, limit: { afterMs: number }) =>
      markBroken(context, failing, limit),
    endBroken: (id: string) => endBroken(context, id),
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
  // Without tokens, because its plug-in asks for no access, it waits for nothing any more.
  await settleCondition(context, id, { endedBy: 'install' });
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

async function claimFailing(
  context: Context,
  claim: { afterMs: number; everyMs: number; limit: number },
): Promise<FailingGrant[]> {
  const { db } = context;
  const claimed = await claimDueProbes(context, claim).execute();
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
  failing: FailingGrant,
  limit: { afterMs: number },
): Promise<BrokenChange | undefined> {
  await lockInstallation(context, failing.installationId);
  const change = await writeBroken(context, failing, limit);
  await endProbing(context, failing);
  return change;
}

async function writeBroken(
  { db, now, changed }: Context,
  { installationId, generation, tokenVersion }: FailingGrant,
  { afterMs }: { afterMs: number },
): Promise<BrokenChange | undefined> {
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
