/**
 * Stores what the calls of this process met: soon after an installation begins to fail and succeeds again,
 * the counters of those that fail every ten seconds. Single calls go to the log with the same rounds.
 */
import { randomUUID } from 'node:crypto';
import type { CallReport, LoggedCall, Store } from '@dowel/installation-store';
import type { CallEntry, CallRecord, TokenClient } from '@dowel/token-client';
import type { Log } from '../log/log.ts';

/** A failure of this age counts as trouble, also if it was the only one. */
const troubleMs = 10_000;
const troubleFailures = 3;
const gatherMs = 500;
/** Rows of one transaction: SQLite writes them in one turn. */
const maxReports = 50;
/** Counters of one round. In a mass outage those that were not stored for the longest time come first. */
const maxCounters = 1_000;
/** Single calls that wait while the database is away. */
const maxEntries = 1_000;

export interface CallReporter {
  /** Names this process among the others of the database. */
  readonly process: string;
  /** Installations that were changed, by any process; null: all may have been. */
  heard: Set<string> | null;
  /** Failures that were not stored yet, and successes. */
  failed: Set<string>;
  succeeded: Set<string>;
  /** Single calls that were not stored yet. */
  entries: CallEntry[];
  /** Their calls fail in another process: the next success is of interest in the next round. */
  partial: Set<string>;
  writing: Promise<void> | undefined;
  gathering: NodeJS.Timeout | undefined;
  /** What to do next. */
  isDue: boolean;
  isReviewDue: boolean;
}

export interface CallsContext {
  store: Pick<Store, 'calls'>;
  tokenClient: Pick<TokenClient, 'calls' | 'entries'>;
  calls: CallReporter;
  logger: Pick<Log, 'error' | 'warn'>;
  now: () => number;
}

/** Hears of the changes of the store, because another process may wait for a success of this one. */
export function createCallReporter(store: Pick<Store, 'onChange'>): CallReporter {
  const reporter: CallReporter = {
    process: randomUUID(),
    heard: null,
    failed: new Set(),
    succeeded: new Set(),
    entries: [],
    partial: new Set(),
    writing: undefined,
    gathering: undefined,
    isDue: false,
    isReviewDue: false,
  };
  store.onChange((id) => {
    if (id === null) reporter.heard = null;
    else reporter.heard?.add(id);
  });
  return reporter;
}

/** Stores what began or ended, in half a second: calls that fail and succeed by turns do not cost a write each. */
export function reportCalls(context: CallsContext): void {
  const { calls } = context;
  calls.isDue = true;
  calls.gathering ??= setTimeout(() => {
    calls.gathering = undefined;
    void writeWhileDue(context);
  }, gatherMs).unref();
}

/** Stores also counters, and single failures that have become old. Run it every ten seconds. */
export function reviewCalls(context: CallsContext): Promise<void> {
  context.calls.isReviewDue = true;
  return writeWhileDue(context);
}

/** Stores what was met last. The store may be closed afterwards. */
export async function leaveCalls(context: CallsContext): Promise<void> {
  const { calls, store, logger } = context;
  clearTimeout(calls.gathering);
  await reviewCalls(context);
  await store.calls
    .leave(calls.process)
    .catch((err: unknown) => logger.error({ err }, 'calls.not_stored'));
}

/** One write after the other: an older report must not replace a newer one. */
function writeWhileDue(context: CallsContext): Promise<void> {
  const { calls } = context;
  const writeAll = async () => {
    while (calls.isDue || calls.isReviewDue) {
      const withCounters = calls.isReviewDue;
      calls.isDue = false;
      calls.isReviewDue = false;
      if (withCounters) await readAwaited(context);
      await writeEntries(context, withCounters);
      await write(context, { withCounters });
    }
  };
  calls.writing ??= writeAll().finally(() => {
    calls.writing = undefined;
  });
  return calls.writing;
}

async function readAwaited({ calls, store, tokenClient, logger }: CallsContext): Promise<void> {
  const heard = calls.heard ? [...calls.heard] : undefined;
  calls.heard = new Set();
  try {
    const awaited = await store.calls.listAwaited(heard);
    tokenClient.calls.awaitSuccess([...awaited, ...calls.partial]);
    calls.partial = new Set();
  } catch (err) {
    calls.heard = null;
    logger.error({ err }, 'calls.not_read');
  }
}

async function write(
  context: CallsContext,
  { withCounters }: { withCounters: boolean },
): Promise<void> {
  const { calls, store, tokenClient, logger } = context;
  const taken = tokenClient.calls.takeChanged();
  for (const id of taken.failed) calls.failed.add(id);
  for (const id of taken.succeeded) calls.succeeded.add(id);
  const ids = [...dueFailures(context, withCounters), ...calls.succeeded];
  for (let from = 0; from < ids.length; from += maxReports) {
    const part = [...new Set(ids.slice(from, from + maxReports))];
    const reports = part.flatMap((id) => reportOf(context, id) ?? []);
    try {
      const failing = await store.calls.record(calls.process, reports);
      for (const id of part) {
        calls.failed.delete(id);
        calls.succeeded.delete(id);
      }
      for (const id of failing) if (!isFailing(context, id)) calls.partial.add(id);
    } catch (err) {
      logger.error({ err }, 'calls.not_stored');
      return;
    }
  }
}

function isFailing({ tokenClient }: CallsContext, id: string): boolean {
  return (tokenClient.calls.get(id)?.failures ?? 0) > 0;
}

/** A round ends with the counters: until then, only the first failure of an installation asks for a write. */
async function writeEntries(context: CallsContext, endsRound: boolean): Promise<void> {
  const { calls, store, tokenClient, logger, now } = context;
  const { entries, dropped } = tokenClient.entries.take(endsRound);
  const all = [...calls.entries, ...entries];
  const kept = all.slice(0, maxEntries);
  const count = dropped + all.length - kept.length;
  if (count > 0) logger.warn({ count }, 'calls.not_logged');
  calls.entries = kept;
  if (kept.length === 0) return;
  const at = now();
  try {
    await store.calls.log(kept.map((entry) => loggedCall(entry, at)));
    calls.entries = [];
  } catch (err) {
    logger.error({ err }, 'calls.not_stored');
  }
}

function loggedCall({ firstAt, lastAt, ...entry }: CallEntry, at: number): LoggedCall {
  return { ...entry, firstMs: at - firstAt, lastMs: at - lastAt };
}

/** A failure that a success has followed is forgotten. */
function dueFailures(context: CallsContext, withCounters: boolean): string[] {
  const { calls, tokenClient, now } = context;
  const begun: string[] = [];
  const counted: string[] = [];
  for (const id of calls.failed) {
    const record = tokenClient.calls.get(id);
    if (!record || record.failures === 0) calls.failed.delete(id);
    else if (record.isSuccessAwaited) counted.push(id);
    else if (isTrouble(record, now())) begun.push(id);
  }
  tokenClient.calls.awaitSuccess(begun);
  return withCounters ? [...begun, ...counted.slice(0, maxCounters)] : begun;
}

function isTrouble({ failures, failingSince }: CallRecord, now: number): boolean {
  return failures >= troubleFailures || now - failingSince >= troubleMs;
}

function reportOf({ tokenClient, now }: CallsContext, installationId: string) {
  const record = tokenClient.calls.get(installationId);
  if (!record) return undefined;
  const { lastSuccessAt, failures, failingSince, lastFailureAt, reason, status } = record;
  const at = now();
  const report: CallReport = {
    installationId,
    lastSuccessMs: lastSuccessAt === 0 ? null : at - lastSuccessAt,
    failing:
      failures === 0
        ? null
        : { sinceMs: at - failingSince, lastMs: at - lastFailureAt, failures, reason, status },
  };
  return report;
}
