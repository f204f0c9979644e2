/** The work that a server does at intervals while it is open. */
import type { Store } from '@dowel/installation-store';
import type { App } from '../app/create-app.ts';
import type { Log } from '../log/log.ts';
import { startMaintenance } from './maintenance.ts';
import { endTurns, type Turns } from './turns.ts';

const healMs = 5_000;
const databaseCheckMs = 1_000;
const sampleMs = 10_000;
const callsMs = 10_000;
const deliveriesMs = 1_000;
const shapesMs = 5_000;
const alertsMs = 5_000;
const runsMs = 5_000;
const keyMs = 30_000;

export interface Background {
  /** Resolves when no work is running, or after `graceMs`. A second call waits for the first one. */
  stop(graceMs: number): Promise<void>;
}

/** Of a process that stops before it is open. */
export const noBackground: Background = { stop: () => Promise.resolve() };

/** Starts the periodic work: maintenance, triggers, hooks, alerts, samples and runs. */
export function startBackground({
  app,
  store,
  turns,
  historyDays,
  log,
}: {
  app: App;
  store: Store;
  turns: Turns;
  historyDays: number;
  log: Log;
}): Background {
  const maintenance = startMaintenance({ store, historyDays, logger: log });
  const heal = () => {
    app.heal().catch((err: unknown) => log.error({ err }, 'healing.failed'));
  };
  const resumeRun = () => {
    app.resumeRun().catch((err: unknown) => log.error({ err }, 'run.not_resumed'));
  };
  const reportKey = () => {
    store.reportKey().catch((err: unknown) => log.error({ err }, 'key.not_reported'));
  };
  const timers = [
    setInterval(heal, healMs),
    setInterval(resumeRun, runsMs),
    setInterval(reportKey, keyMs),
    setInterval(() => void app.checkDatabase(), databaseCheckMs),
    setInterval(() => void app.recordSample(), sampleMs),
    setInterval(() => void app.reviewCalls(), callsMs),
    setInterval(() => void app.writeDeliveries(), deliveriesMs),
    setInterval(() => void app.writeShapes(), shapesMs),
    setInterval(() => void app.checkAlerts(), alertsMs),
    setInterval(() => void app.deliverAlerts(), alertsMs),
  ];
  app.hooks.start();
  // At once, too: a process that lives for less than the interval must not leave its work to nobody.
  heal();
  reportKey();
  void app.recordSample();
  const stop = async (graceMs: number) => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all([
      maintenance.stop(),
      app.hooks.drain({ graceMs }),
      app.drainAlerts(graceMs),
      endTurns(turns, graceMs),
    ]);
  };
  let stopping: Promise<void> | undefined;
  return {
    stop(graceMs) {
      stopping ??= stop(graceMs);
      return stopping;
    },
  };
}
