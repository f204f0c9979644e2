/**
 * Collects the deliveries of events, and counts refusals by hour and reason (docs/decisions/0022-key-locations.md).
 * Both happen in memory: no answer waits for the database or fails because of it. A timer writes them. What waits in
 * memory is bounded, and so are the rows: a flood keeps its newest ten for each reason.
 */
import { randomUUID } from 'node:crypto';
import { hourOf } from '@dowel/admin-api';
import { pause, systemTimer, type Timer } from '@dowel/http';
import {
  keptDeliveries,
  type NewDelivery,
  type RefusalCount,
  type Store,
} from '@dowel/installation-store';
import type { Log } from '../log/log.ts';

export interface DeliveryTally {
  store: Pick<Store, 'deliveries'>;
  logger: Pick<Log, 'warn'>;
  /** Epoch milliseconds. */
  now: () => number;
  timer: Timer;
  /** Counts that are not written yet, by hour and reason. */
  counts: Map<string, RefusalCount>;
  /** The newest deliveries that are not written yet: of each installation, and of each reason of strangers. */
  pending: Map<string, NewDelivery[]>;
  /** How many are pending. */
  size: number;
  /** The write that is under way. */
  writing: Promise<void> | undefined;
}

/** While the database is away, the groups that began first are forgotten. */
const maxPending = 5_000;
const lastWriteMs = 2_000;

/** Creates the tally of one process, with nothing in it. */
export function createDeliveryTally({
  timer = systemTimer,
  ...options
}: Pick<DeliveryTally, 'store' | 'logger' | 'now'> & { timer?: Timer }): DeliveryTally {
  return { ...options, timer, counts: new Map(), pending: new Map(), size: 0, writing: undefined };
}

/** Never throws, and never waits. A refusal is also counted. */
export function tallyDelivery(tally: DeliveryTally, delivery: Omit<NewDelivery, 'id'>): void {
  const { at, reason, status } = delivery;
  addPending(tally, { ...delivery, id: randomUUID() });
  if (status < 400 || reason === null) return;
  addCount(tally, { hourAt: hourOf(at), reason, count: 1, firstAt: at, lastAt: at });
}

function addCount({ counts }: DeliveryTally, added: RefusalCount): void {
  const key = `${added.hourAt} ${added.reason}`;
  const { count = 0, firstAt = added.firstAt, lastAt = added.lastAt } = counts.get(key) ?? {};
  counts.set(key, {
    ...added,
    count: count + added.count,
    firstAt: Math.min(firstAt, added.firstAt),
    lastAt: Math.max(lastAt, added.lastAt),
  });
}

function addPending(tally: DeliveryTally, delivery: NewDelivery): void {
  const { pending } = tally;
  const { key, reason } = delivery;
  const group = key ? JSON.stringify(key) : String(reason);
  const kept = key ? keptDeliveries.ofInstallation : keptDeliveries.ofReason;
  const deliveries = pending.get(group) ?? [];
  pending.set(group, deliveries);
  deliveries.push(delivery);
  tally.size += 1;
  if (deliveries.length > kept) {
    deliveries.shift();
    tally.size -= 1;
  }
  if (tally.size > maxPending) forgetOldest(tally);
}

function forgetOldest(tally: DeliveryTally): void {
  for (const [group, { length }] of tally.pending) {
    tally.pending.delete(group);
    tally.size -= length;
    return;
  }
}

/** Writes what is pending. A second call waits for the first one. What fails is logged, and tried again. */
export function writeDeliveries(tally: DeliveryTally): Promise<void> {
  tally.writing ??= writePending(tally).finally(() => {
    tally.writing = undefined;
  });
  return tally.writing;
}

async function writePending(tally: DeliveryTally): Promise<void> {
  const { store, logger, counts, pending } = tally;
  if (tally.size === 0) return;
  const deliveries = [...pending.values()].flat();
  tally.counts = new Map();
  tally.pending = new Map();
  tally.size = 0;
  try {
    await store.deliveries.add(deliveries, [...counts.values()]);
  } catch (err) {
    const later = [...tally.pending.values()].flat();
    tally.pending = new Map();
    tally.size = 0;
    for (const delivery of [...deliveries, ...later]) addPending(tally, delivery);
    for (const count of counts.values()) addCount(tally, count);
    logger.warn({ err }, 'deliveries.not_stored');
  }
}

/** Writes the last deliveries, within two seconds. What was not written then is lost. */
export async function drainDeliveries(tally: DeliveryTally): Promise<void> {
  const late = new AbortController();
  const written = Promise.resolve(tally.writing).then(() => writeDeliveries(tally));
  const lost = pause(tally.timer, lastWriteMs, late.signal).then(() => 'lost');
  if ((await Promise.race([written, lost])) === 'lost') {
    tally.logger.warn({ waitedMs: lastWriteMs }, 'deliveries.not_stored');
  }
  late.abort();
}
