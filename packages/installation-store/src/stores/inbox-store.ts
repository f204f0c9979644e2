/** The events that were received, and their answers. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import type { InboxKey, InboxStore, Verdict } from '../store.ts';
import { hasLapsed } from './lapse.ts';

/** The status with which the lifecycle accepts an event (Spec §4.1). */
const acceptedStatus = 201;

type Context = Pick<Database, 'db' | 'now'>;

/** One copy of an event. `codeIat`: when an event with a code was signed, in seconds. */
interface Copy extends InboxKey {
  /** Epoch milliseconds. */
  receivedAt: number;
  codeIat?: number | null | undefined;
}

type Decision = Pick<Tables['inbox'], 'owner' | 'status' | 'reason'> & {
  claimed_until: RawBuilder<number> | null;
};

/** The memory of events. Its methods throw what the database throws. */
export function createInboxStore(context: Context): InboxStore {
  return {
    findVerdict: (key) => findVerdict(context, key),
    claim: (key, { owner, claimMs, ...received }) =>
      claim(context, { ...key, ...received }, { owner, claimMs }),
    decide: (key, verdict, receivedAt, codeIat) =>
      decide(context, { ...key, receivedAt, codeIat }, verdict),
    retireCodes: (installationId, verdict, codes) =>
      retireCodes(context, { installationId, ...codes }, verdict),
    settle: (key, owner, verdict) => settle(context, { ...key, owner }, verdict),
    release: (key, owner) => release(context, { ...key, owner }),
  };
}

async function findVerdict(
  { db }: Context,
  { installationId, digest }: InboxKey,
): Promise<Verdict | undefined> {
  const row = await db
    .selectFrom('inbox')
    .select(['status', 'reason'])
    .where('installation_id', '=', installationId)
    .where('digest', '=', digest)
    .executeTakeFirst();
  return row?.status == null ? undefined : { status: row.status, reason: row.reason };
}

async function claim(
  context: Context,
  copy: Copy,
  { owner, claimMs }: { owner: string; claimMs: number },
): Promise<boolean> {
  const claimed_until = sql<number>`${context.now()} + ${claimMs}`;
  return take(context, copy, { owner, claimed_until, status: null, reason: null });
}

async function decide(context: Context, copy: Copy, { status, reason }: Verdict): Promise<boolean> {
  return take(context, copy, { owner: null, claimed_until: null, status, reason });
}

/**
 * Writes the row of an event if it is new, its claim was released, or its claim has lapsed. A code counts
 * from the signing of its first copy.
 */
async function take(
  { db, now }: Context,
  { installationId, digest, receivedAt, codeIat = null }: Copy,
  decision: Decision,
): Promise<boolean> {
  const row = { ...decision, code_iat: codeIat };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('inbox')
    .values({ installation_id: installationId, digest, received_at: receivedAt, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(['installation_id', 'digest'])
        .doUpdateSet({
          ...row,
          code_iat: sql`case when inbox.code_iat < ${codeIat}
            then inbox.code_iat else ${codeIat} end`,
        })
        .where('inbox.status', 'is', null)
        .where(sql<boolean>`(inbox.owner is null or ${hasLapsed(now, 'inbox.claimed_until')})`),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

async function retireCodes(
  { db }: Context,
  codes: { installationId: string; signedBy: number; withAccepted: boolean },
  { status, reason }: Verdict,
): Promise<void> {
  const { installationId, signedBy, withAccepted } = codes;
  await db
    .updateTable('inbox')
    .set({ owner: null, claimed_until: null, status, reason })
    .where('installation_id', '=', installationId)
    .where('code_iat', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('code_iat', '<=', signedBy),
        ...(withAccepted ? [eb('status', '=', acceptedStatus)] : []),
      ]),
    )
    .execute();
}

/** `owner` null: any process may have the claim. */
async function settle(
  { db }: Context,
  { owner, ...key }: InboxKey & { owner: string | null },
  { status, reason }: Verdict,
): Promise<boolean> {
  const { numUpdatedRows } = await updateUndecided(db, key)
    .set({ owner: null, claimed_until: null, status, reason })
    .$if(owner !== null, (query) => query.where('owner', '=', owner))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function release(
  { db }: Context,
  { owner, ...key }: InboxKey & { owner: string },
): Promise<void> {
  await updateUndecided(db, key)
    .set({ owner: null, claimed_until: null })
    .where('owner', '=', owner)
    .execute();
}

function updateUndecided(db: Database['db'], { installationId, digest }: InboxKey) {
  return db
    .updateTable('inbox')
    .where('installation_id', '=', installationId)
    .where('digest', '=', digest)
    .where('status', 'is', null);
}
