/**
 * The condition of an installation: what the dashboard counts, filters and sorts by. Only
 * this file changes it, in the transaction of the change that it follows from, together with
 * its cause, the counts and the outages (docs/decisions/0041-read-model.md).
 */
import type { Condition } from '@dowel/schema';
import { sql } from 'kysely';
import { countMove } from '../sql/condition-counts.ts';
import type { OutageEnd } from '../sql/tables.ts';
import { cutOutages } from './history.ts';
import type { StoreContext } from './store-context.ts';

type Context = Pick<StoreContext, 'db' | 'now'>;
type Facts = NonNullable<Awaited<ReturnType<typeof readFacts>>>;

export interface ConditionChange {
  /** Why an installation in trouble is in trouble. Default: the cause that is stored. */
  cause?: string | null | undefined;
  /** What ends an outage, if this does. */
  endedBy: OutageEnd;
}

interface Settled {
  condition: Condition;
  cause: string | null;
}

/** An installation before the change. */
export interface Moved {
  id: string;
  generation: number;
  /** Null: not settled yet, and not counted. */
  condition: Condition | null;
  cause: string | null;
}

/** Conditions in trouble: with a time since when, and a cause. */
const troubled: ReadonlySet<string | null> = new Set<Condition>([
  'pending',
  'failing',
  'awaiting',
  'refused',
]);
/** Conditions of a life that an uninstall has not ended. Another life than this one can follow the others. */
const isLive: ReadonlySet<string | null> = new Set<Condition>([
  'pending',
  'failing',
  'awaiting',
  'expiring',
  'healthy',
  'paused',
]);
/** An install on its way is no outage. */
const outage: ReadonlySet<string | null> = new Set<Condition>(['failing', 'awaiting', 'refused']);

/** Brings the condition in step with status and grant. The caller's transaction has the installation's lock. */
export async function settleCondition(
  context: Context,
  id: string,
  { cause, endedBy }: ConditionChange,
): Promise<void> {
  const facts = await readFacts(context, id);
  if (!facts) return;
  const condition = conditionOf(facts, cause);
  // A new life begins without the trouble of the last one.
  const isNewLife = condition === 'pending' && !isLive.has(facts.condition);
  const keptCause = isNewLife ? null : causeOf(facts);
  const to = { condition, cause: troubled.has(condition) ? (cause ?? keptCause) : null };
  const keepsTime = !isNewLife && facts.unhealthy_since !== null;
  await moveTo(context, { id, ...facts }, { to, keepsTime, endedBy });
}

/** The same after tokens were stored, which takes no further read: they end every trouble. */
export async function settleTokens(
  context: Context,
  installation: Moved & { paused_at: number | null },
  { hasRefreshToken, endedBy }: { hasRefreshToken: boolean; endedBy: OutageEnd },
): Promise<void> {
  if (installation.paused_at !== null) return;
  const to = { condition: hasRefreshToken ? 'healthy' : 'expiring', cause: null } as const;
  await moveTo(context, installation, { to, keepsTime: false, endedBy });
}

/** The counts of an installation whose row was inserted as pending. */
export async function countNew({ db }: Pick<Context, 'db'>): Promise<void> {
  await countMove(db, { to: { condition: 'pending', cause: null } });
}

/** Row, counts and outage change together, or not at all. */
async function moveTo(
  context: Context,
  from: Moved,
  { to, keepsTime, endedBy }: { to: Settled; keepsTime: boolean; endedBy: OutageEnd },
): Promise<void> {
  if (to.condition === from.condition && to.cause === from.cause) return;
  const { db, now } = context;
  const isTroubled = troubled.has(to.condition);
  await db
    .updateTable('installations')
    .set(to)
    .$if(!isTroubled, (query) => query.set({ unhealthy_since: null }))
    .$if(isTroubled && !keepsTime, (query) => query.set({ unhealthy_since: now() }))
    .where('id', '=', from.id)
    .execute();
  await countMove(db, { from, to });
  await writeOutage(context, from, { to, endedBy });
}

/** A pause has no cause. What was wrong before it is wrong after it. */
function causeOf({ condition, cause, error_reason: latest }: Facts): string | null {
  return condition === 'paused' ? latest : cause;
}

function readFacts({ db }: Context, id: string) {
  return db
    .selectFrom('installations')
    .leftJoin('grants', 'grants.installation_id', 'installations.id')
    .select([
      'installations.status',
      'installations.generation',
      'installations.condition',
      'installations.cause',
      'installations.unhealthy_since',
      'installations.scopes_at',
      'installations.error_reason',
      'installations.paused_at',
      'installations.acknowledged_generation',
      'grants.failing_since',
      sql<number>`case when grants.refresh_token_sealed is null then 0 else 1 end`.as(
        'has_refresh_token',
      ),
    ])
    .where('installations.id', '=', id)
    .executeTakeFirst();
}

function conditionOf(facts: Facts, cause: string | null | undefined): Condition {
  if (facts.status === 'uninstalled') return isRefused(facts, cause) ? 'refused' : 'uninstalled';
  if (facts.paused_at !== null) return 'paused';
  switch (facts.status) {
    case 'pending':
      return 'pending';
    case 'awaiting_event':
      return 'awaiting';
    case 'active':
      if (facts.has_refresh_token === 0) return 'expiring';
      return facts.failing_since === null ? 'healthy' : 'failing';
  }
}

/** It never had tokens, and one of its events was refused. It stays visible until it is acknowledged. */
function isRefused(facts: Facts, cause: string | null | undefined): boolean {
  if (facts.acknowledged_generation === facts.generation) return false;
  if (facts.condition === 'refused') return true;
  const known = cause ?? (facts.condition === 'pending' ? facts.cause : null);
  return facts.scopes_at === null && known !== null;
}

async function writeOutage(
  { db, now }: Context,
  { id, generation, condition }: Moved,
  { to, endedBy }: { to: Settled; endedBy: OutageEnd },
): Promise<void> {
  const { cause } = to;
  const open = db
    .updateTable('outages')
    .where('installation_id', '=', id)
    .where('ended_at', 'is', null);
  const [wasOut, isOut] = [outage.has(condition), outage.has(to.condition)];
  if (wasOut && isOut) await open.set({ cause }).execute();
  if (wasOut && !isOut) await open.set({ ended_at: now(), ended_by: endedBy }).execute();
  if (wasOut || !isOut) return;
  await db
    .insertInto('outages')
    .values({ installation_id: id, generation, cause, began_at: now() })
    .execute();
  await cutOutages(db, id);
}
