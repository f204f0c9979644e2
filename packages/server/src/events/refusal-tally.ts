/**
 * Counts refusals that belong to no installation, for the dashboard (docs/decisions/0046). Strangers decide how many
 * groups there are, so memory and rows are bounded. Counting happens in memory: no refusal waits for the database or
 * fails because of it. A timer writes the counts.
 */
import { pause, systemTimer, type Timer } from '@dowel/http';
import type { RefusalCount, RefusalStore } from '@dowel/installation-store';
import { type RefusedKind, refusalBucketMs, severalRefused } from '@dowel/schema';
import type { Log } from '../log/log.ts';

export interface TurnedAway {
  /** A word of docs/errors.md. */
  reason: string;
  kind: RefusedKind;
  /** The host that the JWT named, as `readClaimedHost` returns it; '' without one. */
  issuer: string;
  sender: string;
  plugin: string;
}

export interface RefusalTally {
  store: { refusals: RefusalStore };
  logger: Pick<Log, 'warn'>;
  /** Epoch milliseconds. */
  now: () => number;
  timer: Timer;
  /** The start of the five minutes of `known` and `issuers`. */
  bucketAt: number;
  /** The groups of these five minutes. */
  known: Set<string>;
  /** The number of issuers with a group of their own, by the other parts of the group. */
  issuers: Map<string, number>;
  /** Counts that are not written yet. */
  pending: Map<string, RefusalCount>;
  /** Refusals that were not counted since the last report, because `pending` was full. */
  dropped: number;
  /** The write that is under way. */
  writing: { counts: readonly RefusalCount[]; ended: Promise<void> } | undefined;
}

/** Groups of one process within five minutes. Above it, each reason has one group. */
const maxGroups = 200;
/** One address may name any number of issuers, so only this many get groups of their own. */
const maxIssuersPerSender = 10;
/** Enough for 25 minutes of a flood while the database is unavailable. */
const maxPending = 1_000;
const rowsPerWrite = 200;
const lastWriteMs = 2_000;

/** Creates the tally of one process, with nothing counted. */
export function createRefusalTally({
  store,
  logger,
  now,
  timer = systemTimer,
}: Pick<RefusalTally, 'store' | 'logger' | 'now'> & { timer?: Timer }): RefusalTally {
  return {
    store,
    logger,
    now,
    timer,
    bucketAt: 0,
    known: new Set(),
    issuers: new Map(),
    pending: new Map(),
    dropped: 0,
    writing: undefined,
  };
}

/** Never throws, and never waits. */
export function tallyRefusal(tally: RefusalTally, refused: TurnedAway): void {
  const at = tally.now();
  const bucketAt = at - (at % refusalBucketMs);
  if (bucketAt !== tally.bucketAt) {
    tally.bucketAt = bucketAt;
    tally.known.clear();
    tally.issuers.clear();
  }
  const group = findGroup(tally, refused);
  addCount(tally, { ...group, bucketAt, count: 1, firstAt: at, lastAt: at });
}

/** Returns the refusal's own group, or a shared one when there is no place. */
function findGroup({ known, issuers }: RefusalTally, refused: TurnedAway): TurnedAway {
  const ofSender = { ...refused, issuer: severalRefused };
  const [key, senderKey] = [keyOf(refused), keyOf(ofSender)];
  if (known.has(key)) return refused;
  const named = issuers.get(senderKey) ?? 0;
  const hasRoom = known.size < maxGroups;
  if (hasRoom && named < maxIssuersPerSender) {
    known.add(key);
    issuers.set(senderKey, named + 1);
    return refused;
  }
  if (hasRoom) known.add(senderKey);
  return known.has(senderKey) ? ofSender : { ...ofSender, sender: severalRefused };
}

function keyOf({ reason, kind, issuer, sender, plugin }: TurnedAway, bucketAt?: number): string {
  return JSON.stringify([bucketAt, reason, kind, issuer, sender, plugin]);
}

function addCount(tally: RefusalTally, added: RefusalCount): void {
  const { pending } = tally;
  const key = keyOf(added, added.bucketAt);
  const before = pending.get(key);
  if (!before && pending.size >= maxPending) {
    tally.dropped += added.count;
    return;
  }
  pending.set(key, before ? join(before, added) : added);
}

function join(before: RefusalCount, added: RefusalCount): RefusalCount {
  return {
    ...before,
    count: before.count + added.count,
    firstAt: Math.min(before.firstAt, added.firstAt),
    lastAt: Math.max(before.lastAt, added.lastAt),
  };
}

/** Writes a part of what is pending, unless a write is under way. A failure is logged, and tried again. */
export async function writeRefusals(tally: RefusalTally): Promise<void> {
  reportDropped(tally);
  const { pending } = tally;
  if (tally.writing || pending.size === 0) return tally.writing?.ended;
  const batch = [...pending].slice(0, rowsPerWrite);
  for (const [key] of batch) pending.delete(key);
  const counts = batch.map(([, count]) => count);
  const ended = writeCounts(tally, counts).finally(() => {
    tally.writing = undefined;
  });
  tally.writing = { counts, ended };
  await ended;
}

async function writeCounts(tally: RefusalTally, counts: readonly RefusalCount[]): Promise<void> {
  const { store, logger } = tally;
  try {
    await store.refusals.add(counts);
  } catch (err) {
    for (const count of counts) addCount(tally, count);
    logger.warn({ err }, 'refusals.not_stored');
  }
}

function reportDropped(tally: RefusalTally): void {
  const { dropped, logger } = tally;
  if (dropped === 0) return;
  tally.dropped = 0;
  logger.warn({ dropped }, 'refusals.dropped');
}

/** Writes all that is pending, within two seconds. Counts that were not written then are lost. */
export async function drainRefusals(tally: RefusalTally): Promise<void> {
  const late = new AbortController();
  await Promise.race([writeAll(tally), pause(tally.timer, lastWriteMs, late.signal)]);
  late.abort();
  for (const { count } of [...tally.pending.values(), ...(tally.writing?.counts ?? [])]) {
    tally.dropped += count;
  }
  reportDropped(tally);
}

/** Ends early when a write fails. */
async function writeAll(tally: RefusalTally): Promise<void> {
  await tally.writing?.ended;
  const { pending } = tally;
  for (let left = Infinity; pending.size > 0 && pending.size < left; ) {
    left = pending.size;
    await writeRefusals(tally);
  }
}
