/** The events that were received, and their answers. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { Tables } from '../sql/tables.ts';
import { hasLapsed } from './lapse.ts';

/** Two deliveries with the same key are the same event. */
export interface InboxKey {
  installationId: string;
  digest: string;
}

export interface Verdict {
  status: number;
  reason: string | null;
  /** The plug-in's own text of a refusal. Default null. */
  message?: string | null;
}

/** The status with which the lifecycle accepts an event (Spec §4.1). */
const acceptedStatus = 201;

type Context = Pick<Database, 'db' | 'now'>;

/** One copy of an event. `codeIat`: when an event with a code was signed, in seconds. */
interface Copy extends InboxKey {
  /** Epoch milliseconds. */
  receivedAt: number;
  codeIat?: number | null | undefined;
}

export interface InboxClaim extends Omit<Copy, keyof InboxKey> {
  owner: string;
  claimMs: number;
}

type Decision = {
  [Name in 'owner' | 'claimed_until' | 'status' | 'reason']: RawBuilder<
    Tables['inbox'][Name]
  > | null;
};

/** The events that were received, and their answers. It makes the reception of events idempotent. */
export function createInboxStore(context: Context) {
  return {
    /** The earlier answer to the same event. */
    findVerdict: (key: InboxKey) => findVerdict(context, key),
    /**
     * Claims an undecided event for `claimMs` by the database's clock. False: it is decided already, or another
     * delivery has the claim.
     *
     * @param claim.codeIat here and in `decide`: when an event with a code was signed, in seconds. The smallest of
     * several copies is kept.
     */
    claim: (key: InboxKey, { owner, claimMs, ...received }: InboxClaim) =>
      claim(context, { ...key, ...received }, { owner, claimMs }),
    /**
     * Makes a claim last for `claimMs` from now. False: the event is decided already, or another process has the
     * claim.
     */
    extend: (key: InboxKey, claim: Pick<InboxClaim, 'owner' | 'claimMs'>) =>
      extend(context, { ...key, ...claim }),
    /** Decides an event at once. False: it is decided already, or another delivery has the claim. */
    decide: (key: InboxKey, verdict: Verdict, receivedAt: number, codeIat?: number | null) =>
      decide(context, { ...key, receivedAt, codeIat }, verdict),
    /**
     * Stores this verdict for all codes of an installation whose first copy was signed at `signedBy`, in
     * seconds, or before. A code that is being exchanged loses its claim.
     *
     * @param codes `withAccepted`: also for accepted codes, because their tokens were deleted.
     */
    retireCodes: (
      installationId: string,
      verdict: Verdict,
      codes: { signedBy: number; withAccepted: boolean },
    ) => retireCodes(context, { installationId, ...codes }, verdict),
    /**
     * Decides a claimed event permanently. False: it is decided already, or another process has the claim.
     *
     * @param owner null: any process may have the claim.
     */
    settle: (key: InboxKey, owner: string | null, verdict: Verdict) =>
      storeVerdict(context, { ...key, owner }, verdict),
    /** Releases a claim without a decision: the same event may come again. */
    release: (key: InboxKey, owner: string) => release(context, { ...key, owner }),
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
