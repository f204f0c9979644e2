/**
 * The condition of an installation: what the dashboard counts, filters and sorts by. Only
 * this file changes it, in the transaction of the change that it follows from, together with
 * its cause, the counts and the outages (docs/decisions/0041-read-model.md).
 */
import type { Condition } from '@dowel/admin-api';
import { type ReasonWord, reasonGroups } from '@dowel/schema';
import { type RawBuilder, sql, type UpdateObject } from 'kysely';
import { type CallEvidence, deleteEvidence, readEvidence } from '../sql/call-evidence.ts';
import { countMove } from '../sql/condition-counts.ts';
import type { OutageEnd, Tables } from '../sql/tables.ts';
import { accessEnd } from './access-end.ts';
import { cutOutages } from './history.ts';
import type { StoreContext } from './store-context.ts';

type Context = Pick<StoreContext, 'db' | 'now'>;
type Facts = NonNullable<Awaited<ReturnType<typeof readFacts>>> & {
  /** Undefined: no process has reported calls. */
  calls?: CallEvidence | undefined;
};

export interface ConditionChange {
  /** Why an installation in trouble is in trouble. Default: the cause that is stored. */
  cause?: string | null | undefined;
  /** What ends an outage, if this change does. */
  endedBy: OutageEnd;
}

interface Settled {
  condition: Condition;
  cause: string | null;
}

/** Times of a trouble. Database clock. */
interface Trouble {
  /** The first failure. */
  beganAt: number | RawBuilder<number>;
  /** From when it is without access. In the future while a token that cannot be renewed is still valid. */
  accessEndsAt: number | RawBuilder<number>;
}

interface Move {
  to: Settled;
  /** Undefined: it is not in trouble. */
  trouble?: Trouble | undefined;
  endedBy: OutageEnd;
}

/** An installation before the change. */
export interface Moved {
  id: string;
  generation: number;
  /** Null: not settled yet, and not counted. */
  condition: Condition | null;
  cause: string | null;
}

/** Conditions in trouble: with a time from when it is without access, and a cause. */
const troubled: ReadonlySet<string | null> = new Set<Condition>([
  'pending',
  'failing',
  'calls_failing',
  'awaiting',
  'refused',
]);
/** Conditions of a life that an uninstall has not ended. Another life than this one can follow the others. */
const isLive: ReadonlySet<string | null> = new Set<Condition>([
  'pending',
  'failing',
  'calls_failing',
  'awaiting',
  'expiring',
  'healthy',
  'paused',
]);
/** An install that still waits for its first tokens is not an outage. */
const outage: ReadonlySet<string | null> = new Set<Condition>([
  'failing',
  'calls_failing',
  'awaiting',
  'refused',
]);
/** In these, a success of a call is still to be told. */
const keepsEvidence: ReadonlySet<string | null> = new Set<Condition>(['failing', 'calls_failing']);

/**
 * Updates the condition from status, grant and calls. The caller's transaction has the installation's lock.
 *
 * @returns whether condition or cause changed.
 */
export async function settleCondition(
  context: Context,
  id: string,
  { cause, endedBy }: ConditionChange,
): Promise<boolean> {
  const read = await readFacts(context, id);
  if (!read) return false;
  const calls = (await readEvidence(context.db, [id])).get(id);
  const facts: Facts = { ...read, calls };
  const condition = conditionOf(facts, cause);
  // A new life begins without the cause of the last one.
  const isNewLife = condition === 'pending' && !isLive.has(facts.condition);
  const keptCause = isNewLife ? null : causeOf(facts);
  const ofCalls = condition === 'calls_failing' ? causeOfCalls(facts, cause) : undefined;
  const to = {
    condition,
    cause: troubled.has(condition) ? (ofCalls ?? cause ?? keptCause) : null,
  };
  // What was wrong before a pause is wrong after it.
  const isOver = !keepsEvidence.has(condition) && condition !== 'paused';
  if (calls && isOver) await deleteEvidence(context.db, id);
  const move = { to, trouble: troubleOf(context, facts, to), endedBy };
  return moveTo(context, { id, ...facts }, move);
}

/** Without a token, the failed refresh says more than the call. */
function causeOfCalls(
  { calls, failing_since, cause: kept }: Facts,
  cause: string | null | undefined,
): string | null | undefined {
  if (!calls) return kept;
  const isOfRefresh = calls.reason === 'no_token' && failing_since !== null;
  return (isOfRefresh ? (cause ?? kept) : null) ?? calls.reason;
}

/** The same after tokens were stored: they end every trouble but calls that fail for another reason than their lack. */
export async function settleTokens(
  context: Context,
  installation: Moved & { paused_at: number | null },
  { hasRefreshToken, endedBy }: { hasRefreshToken: boolean; endedBy: OutageEnd },
): Promise<void> {
  const isPaused = installation.paused_at !== null;
  // A pause goes on, but not the outage from before it.
  if (isPaused) await endOutage(context, installation.id, endedBy);
  const failing = isPaused ? undefined : await keepFailingCalls(context, installation);
  if (failing) {
    const { reason: cause, failingSince } = failing;
    const trouble = troubleOfCalls(context, failingSince);
    const to = { condition: 'calls_failing', cause } as const;
    await moveTo(context, installation, { to, trouble, endedBy });
    return;
  }
  const renewed = hasRefreshToken ? 'healthy' : 'expiring';
  const to = { condition: isPaused ? 'paused' : renewed, cause: null } as const;
  await moveTo(context, installation, { to, endedBy });
}

/** Costs no read for an installation that was well. */
async function keepFailingCalls(
  { db }: Context,
  { id, condition, cause }: Moved,
): Promise<{ reason: string | null; failingSince: number | null } | undefined> {
  if (!keepsEvidence.has(condition)) return undefined;
  const calls = (await readEvidence(db, [id])).get(id);
  if (!calls)
    return isRefusal(condition, cause) ? { reason: cause, failingSince: null } : undefined;
  if (calls.failing > 0 && calls.reason !== 'no_token') return calls;
  await deleteEvidence(db, id);
  return undefined;
}

/** Calls fail for another reason than the lack of a token. */
function isRefusal(condition: Moved['condition'], cause: string | null): boolean {
  if (condition !== 'calls_failing' || cause === null || cause === 'no_token') return false;
  return Object.hasOwn(reasonGroups.call, cause) || cause === 'scope_missing';
}

/** The counts of an installation whose row was inserted as pending. */
export async function countNew({ db }: Pick<Context, 'db'>): Promise<void> {
  await countMove(db, { to: { condition: 'pending', cause: null } });
}

/** Row, counts and outage change together, or not at all. */
async function moveTo(context: Context, from: Moved, move: Move): Promise<boolean> {
  const { to, trouble } = move;
  if (to.condition === from.condition && to.cause === from.cause) return false;
  const { db } = context;
  const unhealthySince = trouble?.accessEndsAt ?? null;
  await db
    .updateTable('installations')
    .set(to)
    // Another cause does not move the time.
    .$if(to.condition !== from.condition, (query) => query.set({ unhealthy_since: unhealthySince }))
    .where('id', '=', from.id)
    .execute();
  await countMove(db, { from, to });
  await writeOutage(context, from, move);
  return true;
}

/** Uses only times that stay stored until tokens come, so that a pause in between changes nothing. */
function troubleOf(context: Context, facts: Facts, { condition }: Settled): Trouble | undefined {
  const { now } = context;
  switch (condition) {
    case 'calls_failing':
      return troubleOfCalls(context, facts.calls?.failingSince ?? null, facts.access_end);
    case 'failing':
    case 'awaiting':
      return {
        beganAt: facts.failing_since ?? now(),
        accessEndsAt: facts.access_end ?? now(),
      };
    case 'pending':
      return { beganAt: facts.created_at, accessEndsAt: facts.created_at };
    case 'refused':
      return { beganAt: now(), accessEndsAt: facts.created_at };
    default:
      return undefined;
  }
}

function troubleOfCalls(
  { now }: Context,
  since: number | null,
  accessEndsAt: number | null = null,
): Trouble {
  const first = since !== null && accessEndsAt !== null ? Math.min(since, accessEndsAt) : since;
  return { beganAt: since ?? now(), accessEndsAt: first ?? now() };
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
      'installations.created_at',
      'installations.scopes_at',
      'installations.usable_generation',
      'installations.error_reason',
      'installations.paused_at',
      'installations.acknowledged_generation',
      'grants.failing_since',
      accessEnd.$castTo<number | null>().as('access_end'),
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
      return isUsableWithoutTokens(facts) ? 'healthy' : 'pending';
    case 'awaiting_event':
      return 'awaiting';
    case 'active':
      if (hasFailingCalls(facts)) return 'calls_failing';
      if (facts.has_refresh_token === 0) return 'expiring';
      return facts.failing_since === null ? 'healthy' : 'failing';
  }
}

/** Without a report, such as after an hour without calls or a restart, it is as it was: only a success ends it. */
function hasFailingCalls({ calls, condition }: Facts): boolean {
  return calls ? calls.failing > 0 : condition === 'calls_failing';
}

/** Its plug-in asks for no access (Spec §1). */
function isUsableWithoutTokens({ usable_generation, generation, scopes_at }: Facts): boolean {
  return usable_generation === generation && scopes_at === null;
}

/** The plug-in itself did not want the tenant, so nothing is broken. */
const refusedByPlugin: ReasonWord = 'hook_refused';

/** It never had tokens, and one of its events was refused. It stays visible until it is acknowledged. */
function isRefused(facts: Facts, cause: string | null | undefined): boolean {
  if (facts.acknowledged_generation === facts.generation) return false;
  if (facts.condition === 'refused') return true;
  const known = cause ?? (facts.condition === 'pending' ? facts.cause : null);
  return facts.scopes_at === null && known !== null && known !== refusedByPlugin;
}

/** A pause neither begins nor ends an outage. */
async function writeOutage(
  context: Context,
  { id, generation, condition }: Moved,
  { to, trouble, endedBy }: Move,
): Promise<void> {
  if (to.condition === 'paused') return;
  const wasOut = outage.has(condition) || condition === 'paused';
  if (!trouble || !outage.has(to.condition)) {
    if (wasOut) await endOutage(context, id, endedBy);
    return;
  }
  const { db } = context;
  const { cause } = to;
  const { beganAt: began_at, accessEndsAt: access_ends_at } = trouble;
  const values = to.condition === condition ? { cause } : { cause, access_ends_at };
  if (wasOut && (await updateOutage(context, id, values))) return;
  await db
    .insertInto('outages')
    .values({ installation_id: id, generation, cause, began_at, access_ends_at })
    .execute();
  await cutOutages(db, id);
}

async function endOutage(context: Context, id: string, endedBy: OutageEnd): Promise<void> {
  await updateOutage(context, id, { ended_at: context.now(), ended_by: endedBy });
}

/** False: none is open. */
async function updateOutage(
  { db }: Context,
  id: string,
  values: UpdateObject<Tables, 'outages'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('outages')
    .set(values)
    .where('installation_id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
