/** The events that were received, and their answers. */
import { type RawBuilder, sql } from 'kysely';
import type { InboxKey, InboxStore, Verdict } from '../inbox-store.ts';
import type { Database } from '../sql/database.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { Tables } from '../sql/tables.ts';
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

type Decision = {
  [Name in 'owner' | 'claimed_until' | 'status' | 'reason']: RawBuilder<
    Tables['inbox'][Name]
  > | null;
};

/** The memory of events. Its methods throw what the database throws. */
export function createInboxStore(context: Context): InboxStore {
  return {
    findVerdict: (key) => findVerdict(context, key),
    claim: (key, { owner, claimMs, ...received }) =>
      claim(context, { ...key, ...received }, { owner, claimMs }),
    extend: (key, claim) => extend(context, { ...key, ...claim }),
    decide: (key, verdict, receivedAt, codeIat) =>
      decide(context, { ...key, receivedAt, codeIat }, verdict),
    retireCodes: (installationId, verdict, codes) =>
      retireCodes(context, { installationId, ...codes }, verdict),
    settle: (key, owner, verdict) => storeVerdict(context, { ...key, owner }, verdict),
    release: (key, owner) => release(context, { ...key, owner }),
  };
}

async function findVerdict(context: Context, key: InboxKey): Promise<Verdict | undefined> {
  const { rows } = await selectVerdict(context, key);
  const [row] = rows;
  if (row?.status == null) return undefined;
  const { status, reason, message } = row;
  return message === null ? { status, reason } : { status, reason, message };
}

const selectVerdict = prepare(({ db }: Context, key: Parameter<InboxKey>) =>
  db
    .selectFrom('inbox')
    .select(['status', 'reason', 'message'])
    .where('installation_id', '=', key('installationId'))
    .where('digest', '=', key('digest')),
);

async function claim(
  context: Context,
  copy: Copy,
  claimant: { owner: string; claimMs: number },
): Promise<boolean> {
  const { numAffectedRows } = await takeForClaim(context, { ...valuesOf(copy), ...claimant });
  return numAffectedRows === 1n;
}

async function extend(
  context: Context,
  claim: InboxKey & { owner: string; claimMs: number },
): Promise<boolean> {
  const { numAffectedRows } = await updateClaim(context, claim);
  return numAffectedRows === 1n;
}

const updateClaim = prepare(
  ({ db, now }: Context, claim: Parameter<InboxKey & { owner: string; claimMs: number }>) =>
    db
      .updateTable('inbox')
      .set({ claimed_until: sql<number>`${now()} + ${claim('claimMs')}` })
      .where('installation_id', '=', claim('installationId'))
      .where('digest', '=', claim('digest'))
      .where('owner', '=', claim('owner')),
);

async function decide(context: Context, copy: Copy, { status, reason }: Verdict): Promise<boolean> {
  const values = { ...valuesOf(copy), status, reason };
  const { numAffectedRows } = await takeForVerdict(context, values);
  return numAffectedRows === 1n;
}

interface TakenCopy extends Copy {
  codeIat: number | null;
}

const valuesOf = (copy: Copy): TakenCopy => ({ ...copy, codeIat: copy.codeIat ?? null });

const takeForClaim = prepare(
  (context: Context, claim: Parameter<TakenCopy & { owner: string; claimMs: number }>) =>
    take(context, claim, {
      owner: claim('owner'),
      claimed_until: sql<number>`${context.now()} + ${claim('claimMs')}`,
      status: null,
      reason: null,
    }),
);

const takeForVerdict = prepare((context: Context, decided: Parameter<TakenCopy & Verdict>) =>
  take(context, decided, {
    owner: null,
    claimed_until: null,
    status: decided('status'),
    reason: decided('reason'),
  }),
);

/**
 * Writes the row of an event if it is new, its claim was released, or its claim has lapsed. A code counts
 * from the signing of its first copy.
 */
function take({ db, now }: Context, copy: Parameter<TakenCopy>, decision: Decision) {
  const codeIat = copy('codeIat');
  const key = { installation_id: copy('installationId'), digest: copy('digest') };
  return db
    .insertInto('inbox')
    .values({ ...key, received_at: copy('receivedAt'), ...decision, code_iat: codeIat })
    .onConflict((conflict) =>
      conflict
        .columns(['installation_id', 'digest'])
        .doUpdateSet({
          ...decision,
          code_iat: sql`case when inbox.code_iat < ${codeIat}
            then inbox.code_iat else ${codeIat} end`,
        })
        // control C01
        .where('inbox.status', 'is', null)
        // control C03
        .where(sql<boolean>`(inbox.owner is null or ${hasLapsed(now, 'inbox.claimed_until')})`),
    );
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
async function storeVerdict(
  { db }: Context,
  { owner, ...key }: InboxKey & { owner: string | null },
  { status, reason, message = null }: Verdict,
): Promise<boolean> {
  const { numUpdatedRows } = await updateUndecided(db, key)
    .set({ owner: null, claimed_until: null, status, reason, message })
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
