/**
 * One life of one process, behind its boundary: everything from outside (time, answers of the
 * network and of the database) comes through {@link SimulatedProcess.resume}. So it can be killed at
 * any step, and nothing reaches it afterwards; or it sleeps, and everything reaches it late.
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
  troubledAt: number;
  sleptMs: number;
  resume(step: () => void): void;
}

export function createSimulatedProcess(
  simulation: Simulation,
  name: string,
  { clockOffsetMs, onDeath }: { clockOffsetMs: number; onDeath: () => void },
) {
  const { scheduler, random, log, climate, count } = simulation;
  const delayed: (() => void)[] = [];
  const state = {
    name,
    isAlive: true,
    isAsleep: false,
    /** How far its clock is ahead of the true time. */
    clockOffsetMs,
    /** When it was last killed, put to sleep, or cut off from the database. */
    troubledAt: Number.NEGATIVE_INFINITY,
    sleptMs: 0,

    now: () => Math.floor(epochMs + scheduler.now() + state.clockOffsetMs),

    /** Runs `step` in the process as soon as it is awake. */
    resume(step: () => void): void {
      if (!state.isAlive) return;
      if (state.isAsleep) {
        delayed.push(step);
        return;
      }
      scheduler.disturb();
      step();
    },

    kill(): void {
      if (!state.isAlive) return;
      state.isAlive = false;
      state.troubledAt = scheduler.now();
      count('killed');
      log(name, 'is killed');
      onDeath();
    },

    /** Ends it without an effect on the history. */
    stop(): void {
      state.isAlive = false;
    },

    sleep(ms: number): void {
      if (!state.isAlive || state.isAsleep) return;
      state.isAsleep = true;
      state.troubledAt = scheduler.now();
      log(name, `sleeps for ${Math.round(ms)} ms`);
      const since = scheduler.now();
      scheduler.after(ms, () => wake(simulation, { state, delayed, since }));
    },

    /** The process crosses its boundary: here it may be killed or put to sleep. */
    cross(): void {
      const { dies, sleeps } = climate().process;
      if (random.chance(dies)) state.kill();
      else if (random.chance(sleeps)) state.sleep(random.pick([300, 6_000, 12_000, 20_000]));
    },
  };

  return Object.assign(state, { timer: createTimer(simulation, state.resume) });
}

/** Its callbacks come late to a process that sleeps, and never to a dead one. */
function createTimer({ scheduler }: Simulation, resume: (step: () => void) => void): Timer {
  return {
    monotonic: () => scheduler.now(),
    after(ms, callback) {
      let isCancelled = false;
      const cancel = scheduler.after(Math.max(shortestMs, ms), () =>
        resume(() => {
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

/** Delivers at once, in any order, the time-outs and answers that arrived during the sleep. */
function wake(
  { scheduler, random, log, count }: Simulation,
  { state, delayed, since }: { state: ProcessState; delayed: (() => void)[]; since: number },
): void {
  if (!state.isAlive) return;
  state.isAsleep = false;
  state.sleptMs += scheduler.now() - since;
  state.troubledAt = scheduler.now();
  count('woken from sleep');
  log(state.name, 'wakes');
  const steps = delayed.splice(0);
  if (random.chance(0.5)) steps.reverse();
  for (const step of steps) scheduler.after(0, () => state.resume(step));
}
