/** Asks the store at intervals to delete data that is no longer needed. */
import type { MaintenanceReport, Store } from '@dowel/installation-store';
import type { Log } from '../log/log.ts';

export interface MaintenanceOptions {
  store: Pick<Store, 'maintain'>;
  historyDays: number;
  logger: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Time between two runs; jitter adds up to half of it. */
  everyMs?: number;
  /** Epoch milliseconds. */
  now?: () => number;
  random?: () => number;
}

/** Longer than the maintenance interval, which the store keeps. */
const defaultEveryMs = 11 * 60 * 1000;

export interface Maintenance {
  /** Resolves when no deletion is running. */
  stop(): Promise<void>;
}

/** A failure is logged, and the next run tries again. The timer does not keep the process alive. */
export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const { store, historyDays, logger, everyMs = defaultEveryMs } = options;
  const { now = Date.now, random = Math.random } = options;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;

  async function run(): Promise<void> {
    try {
      const { signal } = stopping;
      const report = await store.maintain({ now: now(), historyDays, signal });
      if (report) logReport(logger, report);
    } catch (err) {
      logger.error({ err }, 'maintenance.failed');
    }
    if (!stopping.signal.aborted) schedule(everyMs);
  }

  /** Jitter: processes that start together do not run together. */
  function schedule(atLeastMs: number): void {
    const delayMs = atLeastMs + random() * (everyMs / 2);
    timer = setTimeout(() => {
      running = run();
    }, delayMs).unref();
  }

  schedule(0);
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

function logReport(
  logger: MaintenanceOptions['logger'],
  { repairedCounts, deleted, ...changed }: MaintenanceReport,
): void {
  // The counts are written with the rows: something else has changed one of them.
  if (repairedCounts.length > 0) logger.warn({ repairedCounts }, 'maintenance.counts_differed');
  logger.info({ deleted: withoutZeros(deleted), ...withoutZeros(changed) }, 'maintenance.done');
}

function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
