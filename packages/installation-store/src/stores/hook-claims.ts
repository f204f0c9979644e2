/**
 * Claims deliveries. The lease of a stream is its due time: after a crash it becomes due by itself. The stream is
 * locked before its deliveries, and the installation before the stream.
 */
import { sql } from 'kysely';
import { lifeIdOf } from '../sql/life-id.ts';
import { otherAddressId } from '../sql/other-address.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { HookEvent } from '../sql/tables.ts';
import { type Installation, installationOf, selectInstallations } from './find-installation.ts';
import { settleHook } from './hook-settling.ts';
import { type HookRow, rowOf, type StoredDelivery } from './outbox.ts';
import type { ParkedHook } from './parked-hooks.ts';
import type { StoreContext } from './store-context.ts';

/** The right to run the first waiting delivery of one installation. It ends at its time limit. */
export interface ClaimedHook extends HookRow {
  isReplay: boolean;
  /**
   * The tenant had this plug-in again when this claim was made: a newer life of the installation had begun and been
   * let in, and had not ended, or there was a living installation of the same tenant and plug-in under another issuer. It
   * is read in the claim's transaction: another install can come right after it.
   */
  isReinstalled: boolean;
  /** Only of `instanceRemoved`: the instance was placed again when this claim was made. */
  isPlacedAgain?: boolean;
  /** As it was when this claim was made, with the generation and the life's id of the delivery. */
  installation: Installation;
  owner: string;
  /** The fencing number: no two claims of an installation have the same. */
  leaseSequence: number;
}

export interface HookClaim {
  /** Unique to the process. */
  owner: string;
  limit: number;
  /** Longer than a run may take: it is never extended. */
  leaseMs: number;
  /** Installations whose last run has not ended in this process. */
  except: readonly string[];
  /** Whether this process has a hook for it. May be called again when the transaction is repeated. */
  handles(plugin: string, event: HookEvent): boolean;
}

export interface ClaimedHooks {
  claimed: ClaimedHook[];
  /** No process has had a hook for these for an hour, so they are parked as `no_handler`. */
  unhandled: ParkedHook[];
}

type Context = Pick<StoreContext, 'db' | 'now' | 'locksRows' | 'skipsLocked' | 'changed'>;

/** How long a delivery is left to other processes, if this one has no hook for it. */
const giveBackMs = 30_000;
/** After this time without a hook in any process, a delivery is parked. */
const unhandledMs = 60 * 60_000;
interface Head {
  row: StoredDelivery;
  installation: Installation;
  leaseSequence: number;
  isPlacedAgain: boolean;
  /** The tenant has this plug-in under another issuer, too. */
  isElsewhere: boolean;
}

export async function findDueInMs(
  { db, now }: Pick<Context, 'db' | 'now'>,
  except: readonly string[],
): Promise<number | undefined> {
  const first = await db
    .selectFrom('hook_streams')
    .select(sql<number>`due_at - ${now()}`.as('dueInMs'))
    .where('due_at', 'is not', null)
    .$if(except.length > 0, (query) => query.where('installation_id', 'not in', except))
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return first && Math.max(0, first.dueInMs);
}

export async function claimHooks(context: Context, claim: HookClaim): Promise<ClaimedHooks> {
  const result: ClaimedHooks = { claimed: [], unhandled: [] };
  const heads = await takeHeads(context, claim);
  const handled = heads.filter(({ row, installation: { plugin } }) =>
    claim.handles(plugin, row.event),
  );
  await countAttempts(context, handled);
  for (const head of handled) result.claimed.push(claimedOf(head, claim.owner));
  for (const head of heads) {
    if (handled.includes(head)) continue;
    result.unhandled.push(...(await giveBack(context, head)));
  }
  return result;
}

/** Moves the due time of some due streams, and reads the first waiting delivery of each. */
async function takeHeads(context: Context, claim: HookClaim): Promise<Head[]> {
  const { db } = context;
  const leased = await leaseStreams(context, claim).execute();
  if (leased.length === 0) return [];
  const ids = leased.map(({ id }) => id);
  const rows = await db
    .selectFrom('hook_deliveries')
    .selectAll()
    .where((eb) =>
      eb(
        eb.refTuple('installation_id', 'sequence'),
        'in',
        eb
          .selectFrom('hook_streams as stream')
          .select([
            'stream.installation_id',
            sql<number>`(select head.sequence from hook_deliveries as head
              where head.installation_id = stream.installation_id
                and head.sequence >= stream.head_sequence and head.state = 'waiting'
              order by head.sequence limit 1)`.as('sequence'),
          ])
          .where('stream.installation_id', 'in', ids)
          .$asTuple('installation_id', 'sequence'),
      ),
    )
    .execute();
  const installations = await selectInstallations(db)
    .select(otherAddressId.as('otherId'))
    .where('installations.id', 'in', ids)
    .execute();
  const placedAgain = await findPlacedAgain(context, rows);
  const heads = leased.flatMap(({ id, leaseSequence }) => {
    const row = rows.find((each) => each.installation_id === id);
    const installation = installations.find((each) => each.id === id);
    if (!row || !installation) return [];
    const { otherId, ...own } = installation;
    const again = { isPlacedAgain: placedAgain.has(id), isElsewhere: otherId !== null };
    return [{ row, installation: installationOf(own), leaseSequence, ...again }];
  });
  const empty = ids.filter((id) => !heads.some(({ row }) => row.installation_id === id));
  if (empty.length > 0) await endStreams(context, empty).execute();
  return heads;
}

/** The installations whose delivery is about a removed instance that is placed again. */
async function findPlacedAgain(
  { db }: Context,
  rows: readonly StoredDelivery[],
): Promise<ReadonlySet<string>> {
  const removed = rows.filter(({ event }) => event === 'instanceRemoved');
  if (removed.length === 0) return new Set();
  const placed = await db
    .selectFrom('instances')
    .select('installation_id as id')
    .where('removed', '=', 0)
    .where((eb) =>
      eb(
        eb.refTuple('installation_id', 'instance_id'),
        'in',
        removed.map(({ installation_id: id, data }) =>
          eb.tuple(id, String(JSON.parse(data).instanceId)),
        ),
      ),
    )
    .execute();
  return new Set(placed.map(({ id }) => id));
}

/** Rows that another process has locked are skipped; rows that it has just changed are checked again. */
function leaseStreams({ db, now, skipsLocked }: Context, claim: HookClaim) {
  const { owner, limit, leaseMs, except } = claim;
  const dueBy = sql<number>`(select ${now()})`;
  return db
    .updateTable('hook_streams')
    .set({
      due_at: sql`${now()} + ${leaseMs}`,
      lease_owner: owner,
      lease_sequence: sql`lease_sequence + 1`,
    })
    .where('installation_id', 'in', (eb) =>
      eb
        .selectFrom('hook_streams as due')
        .select('due.installation_id')
        .where('due.due_at', '<=', dueBy)
        .$if(except.length > 0, (query) => query.where('due.installation_id', 'not in', except))
        .orderBy('due.due_at')
        .limit(limit)
        .$if(skipsLocked, (query) => query.forNoKeyUpdate().skipLocked()),
    )
    .returning(['installation_id as id', 'lease_sequence as leaseSequence']);
}

/** A stream without waiting deliveries is not due. */
function endStreams({ db }: Context, ids: string[]) {
  return db
    .updateTable('hook_streams')
    .set({ due_at: null, lease_owner: null })
    .where('installation_id', 'in', ids);
}

/** Counts before the hook runs, so that a hook that kills the process is parked in the end. */
async function countAttempts(context: Context, heads: readonly Head[]): Promise<void> {
  for (const { row } of heads) {
    row.attempts += 1;
    await writeAttempts(context, row);
  }
}

type Attempted = Pick<StoredDelivery, 'installation_id' | 'sequence' | 'attempts'>;

const writeAttempts = prepare(({ db }: Context, row: Parameter<Attempted>) =>
  db
    .updateTable('hook_deliveries')
    .set({ attempts: row('attempts'), unhandled_since: null })
    .where('installation_id', '=', row('installation_id'))
    .where('sequence', '=', row('sequence')),
);

/**
 * Leaves the delivery to a process that has a hook for it. After an hour it is parked, with all of its stream
 * that wait for the same hook. Returns what was parked.
 */
async function giveBack(context: Context, head: Head): Promise<ParkedHook[]> {
  const { db, now } = context;
  const { row, leaseSequence } = head;
  const id = row.installation_id;
  const { since, at } = await db
    .updateTable('hook_deliveries')
    .set({ unhandled_since: sql`coalesce(unhandled_since, ${now()})` })
    .where('installation_id', '=', id)
    .where('sequence', '=', row.sequence)
    .returning(['unhandled_since as since', sql<number>`${now()}`.as('at')])
    .executeTakeFirstOrThrow();
  if (at - (since ?? at) >= unhandledMs) {
    const error = 'no_handler';
    const others = await parkLater(context, row, error);
    await settleHook(context, { ...rowOf(row), leaseSequence }, { state: 'parked', error });
    return [row, ...others].map((each) => ({ ...rowOf(each), parkedAt: at, lastError: error }));
  }
  await db
    .updateTable('hook_streams')
    .set({ due_at: sql`${now()} + ${giveBackMs}`, lease_owner: null })
    .where('installation_id', '=', id)
    .execute();
  return [];
}

/** The deliveries behind it that wait for the same hook. */
function parkLater(
  { db, now }: Context,
  head: StoredDelivery,
  error: string,
): Promise<StoredDelivery[]> {
  return db
    .updateTable('hook_deliveries')
    .set({ state: 'parked', settled_at: now(), last_error: error })
    .where('installation_id', '=', head.installation_id)
    .where('sequence', '>', head.sequence)
    .where('event', '=', head.event)
    .where('state', '=', 'waiting')
    .returningAll()
    .execute();
}

function claimedOf(head: Head, owner: string): ClaimedHook {
  const { row, installation, leaseSequence, isPlacedAgain, isElsewhere } = head;
  const { generation } = row;
  const { id } = installation;
  return {
    ...rowOf(row),
    isReplay: row.replays > 0,
    isReinstalled: isElsewhere || isReinstalled(installation, generation),
    ...(row.event === 'instanceRemoved' && { isPlacedAgain }),
    installation: { ...installation, generation, lifeId: lifeIdOf({ id, generation }) },
    owner,
    leaseSequence,
  };
}

/** A life that has ended, or that was not let in yet, has no data that a hook must keep. */
function isReinstalled(current: Installation, generation: number): boolean {
  const isLive = current.status !== 'uninstalled' && !current.awaitsAdmission;
  return isLive && current.generation > generation;
}
