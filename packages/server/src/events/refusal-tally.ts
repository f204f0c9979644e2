/**
 * Counts refusals that belong to no installation, for the dashboard (docs/decisions/0022-key-locations.md). Reasons are a closed list, so
 * memory and rows are bounded. Counting happens in memory: no refusal waits for the database or fails because of it. A
 * timer writes the counts.
 */
import { randomUUID } from 'node:crypto';
import { hourOf, type RefusedRequest } from '@dowel/admin-api';
import { pause, systemTimer, type Timer } from '@dowel/http';
import type { NewRefusal, RefusalCount, Store } from '@dowel/installation-store';
import type { Log } from '../log/log.ts';

/** `issuer`: the host that the JWT named, as `readClaimedHost` returns it; '' without one. */
export type TurnedAway = Omit<RefusedRequest, 'at'>;

export interface RefusalTally {
  store: Pick<Store, 'refusals'>;
  logger: Pick<Log, 'warn'>;
  /** Epoch milliseconds. */
  now: () => number;
  timer: Timer;
  /** Counts that are not written yet, by hour and reason. */
  counts: Map<string, RefusalCount>;
  /** The newest refusals of each reason that are not written yet. */
  last: Map<string, NewRefusal[]>;
  /** The write that is under way. */
  writing: Promise<void> | undefined;
}

const keptPerReason = 10;
const lastWriteMs = 2_000;

/** Creates the tally of one process, with nothing counted. */
export function createRefusalTally({
  timer = systemTimer,
  ...options
}: Pick<RefusalTally, 'store' | 'logger' | 'now'> & { timer?: Timer }): RefusalTally {
  return { ...options, timer, counts: new Map(), last: new Map(), writing: undefined };
}

/** Never throws, and never waits. */
export function tallyRefusal(tally: RefusalTally, refused: TurnedAway): void {
  const at = tally.now();
  const { reason } = refused;
  addCount(tally, { hourAt: hourOf(at), reason, count: 1, firstAt: at, lastAt: at });
  addLast(tally, reason, [...(tally.last.get(reason) ?? []), { ...refused, id: randomUUID(), at }]);
}

function addCount({ counts }: RefusalTally, added: RefusalCount): void {
  const key = `${added.hourAt} ${added.reason}`;
  const { count = 0, firstAt = added.firstAt, lastAt = added.lastAt } = counts.get(key) ?? {};
  counts.set(key, {
    ...added,
    count: count + added.count,
    firstAt: Math.min(firstAt, added.firstAt),
    lastAt: Math.max(lastAt, added.lastAt),
  });
}

function addLast({ last }: RefusalTally, reason: string, refusals: readonly NewRefusal[]): void {
  last.set(reason, refusals.slice(-keptPerReason));
}

/** Writes what is pending. A second call waits for the first one. What fails is logged, and tried again. */
export function writeRefusals(tally: RefusalTally): Promise<void> {
  tally.writing ??= writePending(tally).finally(() => {
    tally.writing = undefined;
  });
  return tally.writing;
}

async function writePending(tally: RefusalTally): Promise<void> {
  const { store, logger, counts, last } = tally;
  if (counts.size === 0) return;
  tally.counts = new Map();
  tally.last = new Map();
  try {
    await store.refusals.add([...counts.values()], [...last.values()].flat());
  } catch (err) {
    for (const count of counts.values()) addCount(tally, count);
    for (const [reason, before] of last)
      addLast(tally, reason, [...before, ...(tally.last.get(reason) ?? [])]);
    logger.warn({ err }, 'refusals.not_stored');
  }
}

/** Writes the last counts, within two seconds. What was not written then is lost. */
export async function drainRefusals(tally: RefusalTally): Promise<void> {
  const late = new AbortController();
  const written = Promise.resolve(tally.writing).then(() => writeRefusals(tally));
  const lost = pause(tally.timer, lastWriteMs, late.signal).then(() => 'lost');
  if ((await Promise.race([written, lost])) === 'lost') {
    tally.logger.warn({ waitedMs: lastWriteMs }, 'refusals.not_stored');
  }
  late.abort();
}
