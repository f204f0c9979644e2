/** Settles deliveries: stores the result of an attempt, and finds the next delivery of the stream. */
import { sql } from 'kysely';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { HookRow } from './outbox.ts';
import type { StoreContext } from './store-context.ts';

export type HookOutcome =
  | { state: 'delivered' }
  /** The next attempt is due after `retryInMs`; its stream waits for it. */
  | { state: 'failed'; error: string; retryInMs: number }
  /** Not tried again before a replay. Its stream goes on. */
  | { state: 'parked'; error: string }
  /** Its installation's life has ended, so it comes too late for good. Its stream goes on. */
  | { state: 'superseded'; error: string };

type Context = Pick<StoreContext, 'db' | 'now' | 'locksRows' | 'changed'>;
type Settled = HookRow & { leaseSequence: number };

/** The longest pause before the next attempt. */
const longestHookPauseMs = 4 * 60 * 60_000;
const maxErrorCharacters = 500;
/** How many deliveries of an installation are kept, in addition to those that wait or are parked. */
const keptDeliveries = 200;
/** Every so many deliveries, the oldest ones are deleted. */
const deliveriesPerCut = 50;

/** The first delivery of a stream that waits; null if none does. */
const firstWaiting = sql<number | null>`(select waiting.sequence from hook_deliveries as waiting
  where waiting.installation_id = hook_streams.installation_id
    and waiting.sequence >= hook_streams.head_sequence and waiting.state = 'waiting'
  order by waiting.sequence limit 1)`;

/** Returns false, and writes nothing, if another lease was granted meanwhile. */
export async function settleHook(
  context: Context,
  claimed: Settled,
  outcome: HookOutcome,
): Promise<boolean> {
  const { installationId, sequence } = claimed;
  if ((await lockLease(context, claimed)).rows.length === 0) return false;
  if (outcome.state === 'delivered') await writeDelivered(context, claimed);
  else await writeFailure(context, claimed, outcome);
  if (outcome.state === 'delivered' && claimed.event === 'uninstalled') {
    await supersedeParked(context, claimed);
  }
  // A statement of its own, because PostgreSQL would not see a delivery that was appended during the wait for the lock.
  if (outcome.state === 'failed') await postponeStream(context, claimed, outcome.retryInMs);
  else await goOn(context, { ...claimed, next: sequence + 1 });
  if (outcome.state === 'parked') context.changed(installationId);
  if (sequence % deliveriesPerCut === 0) await cutDeliveries(context, claimed);
  return true;
}

const lockLease = prepare(({ db, locksRows }: Context, claimed: Parameter<Settled>) =>
  db
    .selectFrom('hook_streams')
    .select('installation_id')
    .where('installation_id', '=', claimed('installationId'))
    .where('lease_sequence', '=', claimed('leaseSequence'))
    .where('lease_owner', 'is not', null)
    .$if(locksRows, (query) => query.forNoKeyUpdate()),
);

const writeDelivered = prepare(({ db, now }: Context, claimed: Parameter<Settled>) =>
  db
    .updateTable('hook_deliveries')
    .set({ state: sql.lit('delivered'), settled_at: now() })
    .where('installation_id', '=', claimed('installationId'))
    .where('sequence', '=', claimed('sequence'))
    .where('state', '=', sql.lit('waiting')),
);

/** The stream's next delivery is due. A replay may have put an earlier one back. */
const goOn = prepare(({ db, now }: Context, claimed: Parameter<Settled & { next: number }>) =>
  db
    .updateTable('hook_streams')
    .set({
      lease_owner: null,
      head_sequence: sql`coalesce(${firstWaiting}, ${claimed('next')})`,
      due_at: sql`case when ${firstWaiting} is not null then ${now()} end`,
    })
    .where('installation_id', '=', claimed('installationId'))
    .where('lease_sequence', '=', claimed('leaseSequence')),
);

async function writeFailure(
  { db, now }: Context,
  { installationId, sequence }: Settled,
  { state, error }: Exclude<HookOutcome, { state: 'delivered' }>,
): Promise<void> {
  await db
    .updateTable('hook_deliveries')
    .set({
      ...(state !== 'failed' && { state, settled_at: now() }),
      last_error: printable(error),
    })
    .where('installation_id', '=', installationId)
    .where('sequence', '=', sequence)
    .where('state', '=', 'waiting')
    .execute();
}

async function postponeStream(
  { db, now }: Context,
  { installationId, leaseSequence }: Settled,
  retryInMs: number,
): Promise<void> {
  const pauseMs = Math.round(Math.min(retryInMs, longestHookPauseMs));
  await db
    .updateTable('hook_streams')
    .set({ lease_owner: null, due_at: sql`${now()} + ${pauseMs}` })
    .where('installation_id', '=', installationId)
    .where('lease_sequence', '=', leaseSequence)
    .execute();
}

/** The life has ended, so its parked deliveries come too late. */
async function supersedeParked(
  { db, now }: Context,
  { installationId, generation }: Settled,
): Promise<void> {
  await db
    .updateTable('hook_deliveries')
    .set({ state: 'superseded', settled_at: now() })
    .where('installation_id', '=', installationId)
    .where('generation', '<=', generation)
    .where('state', '=', sql.lit('parked'))
    .execute();
}

/** The newest ones are kept. It costs more to find the oldest of each installation in maintenance. */
async function cutDeliveries(
  { db }: Context,
  { installationId, sequence }: Settled,
): Promise<void> {
  await db
    .deleteFrom('hook_deliveries')
    .where('installation_id', '=', installationId)
    .where('sequence', '<=', sequence - keptDeliveries)
    .where('state', 'in', ['delivered', 'superseded'])
    .execute();
}

/** Control characters are escaped, so that a list of parked deliveries can be printed. */
function printable(error: string): string {
  const escaped = error.slice(0, maxErrorCharacters).replaceAll(/\p{C}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return escaped.slice(0, maxErrorCharacters);
}
