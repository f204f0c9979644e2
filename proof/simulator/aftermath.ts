/**
 * After the storm: nothing fails any more, and every installation heals by itself. The processes send
 * the triggers that are due, calls are made from time to time, and within half an hour every call succeeds.
 */

import { drain, type Running } from './processes.ts';
import type { Simulation } from './simulation.ts';
import type { Surroundings } from './storm.ts';
import type { Tenant } from './tenant.ts';

const boundMs = 30 * 60_000;
const stepMs = 10_000;
/** Longer than the wait before a trigger repeats an unfinished exchange. */
const peaceMs = 3 * 60_000;
/** Longer than any work under way takes. */
const drainMs = 35_000;

export interface Aftermath extends Surroundings {
  simulation: Simulation;
  /** True after a broken promise: then the history ends. */
  isOver: () => boolean;
}

export async function watchAftermath(aftermath: Aftermath): Promise<void> {
  const { simulation, processes, events, callers, platform, link, isOver } = aftermath;
  const { log, random } = simulation;
  log('—', 'the storm is over');
  platform.repair();
  link.restore();
  link.disk.repair();
  processes.reviveAll();
  const isQuiet = () => events.isQuiet() && callers.isQuiet() && processes.areAwake();
  await passUntil(aftermath, isQuiet);
  // Dead grants heal without calls.
  if (random.chance(0.5)) await healAlone(aftermath);
  await healAll(aftermath);
  if (!isOver()) await checkGone(aftermath);
  // Checked in one of ten histories, because it takes long.
  if (!isOver() && random.chance(0.1)) await checkPeace(aftermath);
  if (!isOver()) await shutDown(aftermath);
}

function pass({ simulation: { scheduler }, isOver }: Aftermath, ms: number): Promise<void> {
  return scheduler.runUntil(scheduler.now() + ms, isOver);
}

async function passUntil(
  { simulation: { scheduler }, isOver }: Aftermath,
  isDone: () => boolean,
  withinMs = boundMs,
): Promise<boolean> {
  await scheduler.runUntil(scheduler.now() + withinMs, () => isDone() || isOver());
  return isDone();
}

async function healAlone(aftermath: Aftermath): Promise<void> {
  const { simulation, tenants, state } = aftermath;
  const isWell = (tenant: Tenant) =>
    !isLive(tenant) || (state.statusOf(tenant) !== 'awaiting_event' && !state.hasIntent(tenant));
  const areWell = () => tenants.every(isWell);
  if (await passUntil(aftermath, areWell)) return;
  // After the database's clock was set back, what is due waits until its time comes again.
  if (simulation.databaseClock.wasSetBack) return;
  for (const tenant of tenants.filter((each) => !isWell(each))) {
    const what = `${tenant.name}: ${state.statusOf(tenant)}`;
    if (!aftermath.isOver()) simulation.violate('what is known to be dead heals uncalled', what);
  }
}

/** One call of each installation in each process. */
async function allSucceed(aftermath: Aftermath): Promise<boolean> {
  const { tenants, processes, callers } = aftermath;
  const outcomes: unknown[] = [];
  const calls = tenants
    .filter(isLive)
    .flatMap((tenant) =>
      processes
        .running()
        .map((running: Running) =>
          callers.call(running, tenant).then((outcome) => outcomes.push(outcome)),
        ),
    );
  // A call that waits for an event ends by itself.
  await passUntil(aftermath, () => outcomes.length === calls.length);
  return outcomes.every((outcome) => outcome === 200);
}

function isLive(tenant: Tenant): boolean {
  return tenant.life()?.state === 'installed';
}

async function healAll(aftermath: Aftermath): Promise<void> {
  const { simulation, tenants, isOver } = aftermath;
  const { scheduler, violate } = simulation;
  const endsAt = scheduler.now() + boundMs;
  while (!(await allSucceed(aftermath)) && !isOver()) {
    if (scheduler.now() > endsAt) {
      const live = tenants.filter(isLive).map(({ name }) => name);
      violate('every live installation heals', live.join());
    }
    await pass(aftermath, stepMs);
  }
}

/** No call of an uninstalled plug-in succeeds, not even with tokens in memory. */
async function checkGone(aftermath: Aftermath): Promise<void> {
  const { simulation, tenants, state, processes, callers } = aftermath;
  const gone = tenants.filter((tenant) => state.statusOf(tenant) === 'uninstalled');
  for (const running of processes.running()) {
    for (const tenant of gone) {
      void callers.call(running, tenant).then((outcome) => {
        if (outcome === 'GRANT_NOT_FOUND') return;
        simulation.violate('what is uninstalled answers nobody', `${tenant.name}: ${outcome}`);
      });
    }
  }
  await passUntil(aftermath, callers.isQuiet);
}

/** A healthy installation sends no trigger. */
async function checkPeace(aftermath: Aftermath): Promise<void> {
  const { simulation, tenants, check } = aftermath;
  await pass(aftermath, peaceMs);
  const before = new Map(tenants.map((tenant) => [tenant, check.triggersOf(tenant)]));
  await pass(aftermath, peaceMs);
  for (const tenant of tenants.filter(isLive)) {
    if (check.triggersOf(tenant) !== before.get(tenant)) {
      simulation.violate('a healthy installation triggers nothing', tenant.name);
    }
  }
}

async function shutDown(aftermath: Aftermath): Promise<void> {
  const { simulation, processes, callers } = aftermath;
  await passUntil(aftermath, callers.isQuiet, drainMs);
  callers.checkAllEnded();
  let ended = 0;
  const running = processes.running();
  for (const each of running) {
    void drain(each).then(() => {
      ended += 1;
    });
  }
  const isDone = () => ended === running.length && processes.leaving() === 0;
  if (!(await passUntil(aftermath, isDone, drainMs))) {
    simulation.violate('every process can be shut down', `${running.length - ended} do not end`);
  }
}
