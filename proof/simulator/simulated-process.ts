/**
 * One process from start to end. Everything from outside (time, answers of the network and of the
 * database) comes through {@link SimulatedProcess.resume}. So a test can kill it at any step, and
 * nothing reaches it afterwards; or make it sleep, and everything reaches it late.
 */
import type { Timer } from '@dowel/http';
import { epochMs, type Simulation } from './simulation.ts';

export type SimulatedProcess = ReturnType<typeof createSimulatedProcess>;

/** Node's shortest timer. */
const shortestMs = 1;

interface ProcessState {
  readonly name: string;
  isAlive: boolean;
  isAsleep: boolean;
  /** Milliseconds by which its clock is ahead of the true time. */
  clockOffsetMs: number;
  /** The last time at which it was killed, put to sleep, or cut off from the database. */
  troubledAt: number;
  sleptMs: number;
}

interface Context {
  simulation: Simulation;
  state: ProcessState;
  /** Steps that arrived during the sleep. */
  delayed: (() => void)[];
  onDeath: () => void;
}

export function createSimulatedProcess(
  simulation: Simulation,
  name: string,
  { clockOffsetMs, onDeath }: { clockOffsetMs: number; onDeath: () => void },
) {
  const state: ProcessState = {
    name,
    isAlive: true,
    isAsleep: false,
    clockOffsetMs,
    troubledAt: Number.NEGATIVE_INFINITY,
    sleptMs: 0,
  };
  const context: Context = { simulation, state, delayed: [], onDeath };
  return Object.assign(state, {
    now: () => Math.floor(epochMs + simulation.scheduler.now() + state.clockOffsetMs),
    /** Runs `step` in the process as soon as it is awake. */
    resume: (step: () => void) => resume(context, step),
    kill: () => kill(context),
    /** Ends it without an effect on the history. */
    stop(): void {
      state.isAlive = false;
    },
    sleep: (ms: number) => sleep(context, ms),
    /** The process crosses its boundary: here it may be killed or put to sleep. */
    cross: () => cross(context),
    timer: createTimer(context),
  });
}

function resume({ simulation, state, delayed }: Context, step: () => void): void {
  if (!state.isAlive) return;
  if (state.isAsleep) {
    delayed.push(step);
    return;
  }
  simulation.scheduler.disturb();
  step();
}

function kill({ simulation: { scheduler, count, log }, state, onDeath }: Context): void {
  if (!state.isAlive) return;
  state.isAlive = false;
  state.troubledAt = scheduler.now();
  count('killed');
  log(state.name, 'is killed');
  onDeath();
}

function sleep(context: Context, ms: number): void {
  const { state, simulation } = context;
  const { scheduler, log } = simulation;
  if (!state.isAlive || state.isAsleep) return;
  state.isAsleep = true;
  state.troubledAt = scheduler.now();
  log(state.name, `sleeps for ${Math.round(ms)} ms`);
  const since = scheduler.now();
  scheduler.after(ms, () => wake(context, since));
}

/** Delivers at once, in any order, the time-outs and answers that arrived during the sleep. */
function wake(context: Context, since: number): void {
  const { state, delayed, simulation } = context;
  const { scheduler, random, log, count } = simulation;
  if (!state.isAlive) return;
  state.isAsleep = false;
  state.sleptMs += scheduler.now() - since;
  state.troubledAt = scheduler.now();
  count('woken from sleep');
  log(state.name, 'wakes');
  const steps = delayed.splice(0);
  if (random.chance(0.5)) steps.reverse();
  for (const step of steps) scheduler.after(0, () => resume(context, step));
}

function cross(context: Context): void {
  const { random, climate } = context.simulation;
  const { dies, sleeps } = climate().process;
  if (random.chance(dies)) kill(context);
  else if (random.chance(sleeps)) sleep(context, random.pick([300, 6_000, 12_000, 20_000]));
}

/** A timer whose callbacks run late in a process that sleeps, and never in a dead one. */
function createTimer(context: Context): Timer {
  const { scheduler } = context.simulation;
  return {
    monotonic: () => scheduler.now(),
    after(ms, callback) {
      let isCancelled = false;
      const cancel = scheduler.after(Math.max(shortestMs, ms), () =>
        resume(context, () => {
          if (!isCancelled) callback();
        }),
      );
      return () => {
        isCancelled = true;
        cancel();
      };
    },
  };
}
