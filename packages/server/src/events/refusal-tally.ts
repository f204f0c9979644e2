/**
 * Counts what was turned away and stands in no installation, for the dashboard (docs/decisions/0046). Strangers
 * decide what there is to count, so memory and rows are bounded. Counting is a few lookups in memory: no refusal
 * waits for the database or fails because of it. A timer writes the counts.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { RefusalCount, RefusalStore } from '@dowel/installation-store';
import { type RefusedKind, refusalBucketMs, severalRefused } from '@dowel/schema';
import type { Log } from '../log/log.ts';

export interface TurnedAway {
  /** Of a closed list: docs/errors.md. */
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
  /** The five minutes that `known` and `issuers` are about. */
  bucketAt: number;
  /** The groups of these five minutes. */
  known: Set<string>;
  /** How many issuers were told apart, by what their groups share. */
  issuers: Map<string, number>;
  /** What is not written yet. */
  pending: Map<string, RefusalCount>;
  /** Refusals that found no place since the last report. */
  dropped: number;
  /** The write that is under way. */
  writing: { counts: readonly RefusalCount[]; ended: Promise<void> } | undefined;
}

/** Groups that one process tells apart within five minutes. What is above is one group for each reason. */
const maxGroups = 200;
/** One address may name as many issuers as it likes. */
const maxIssuersPerSender = 10;
/** While the database cannot be written, for 25 minutes of the longest flood. */
const maxPending = 1_000;
const rowsPerWrite = 200;
const lastWriteMs = 2_000;

export function createRefusalTally({
  store,
  logger,
  now,
}: Pick<RefusalTally, 'store' | 'logger' | 'now'>): RefusalTally {
  return {
    store,
    logger,
    now,
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

/** The refusal's own group; where there is no place for it, one that it shares. */
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

/** Writes all that is pending, within two seconds. What a database does not take then is lost with the process. */
export async function drainRefusals(tally: RefusalTally): Promise<void> {
  const late = new AbortController();
  const giveUp = wait(lastWriteMs, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([writeAll(tally), giveUp]);
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
