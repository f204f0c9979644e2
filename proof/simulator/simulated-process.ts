/**
 * One life of one process, behind its boundary: whatever it hears from outside (time, answers of the
 * network and of the database) comes through {@link SimulatedProcess.resume}. So it can be killed at
 * any step, and nothing reaches it any more; or it sleeps, and hears everything late.
 */
import type { Timer } from '@dowel/token-client';
import { epochMs, type Simulation } from './simulation.ts';

export type SimulatedProcess = ReturnType<typeof createSimulatedProcess>;

/** Node's shortest timer. */
const shortestMs = 1;

export function createSimulatedProcess(
  { scheduler, random, tell, climate, count }: Simulation,
  name: string,
  { clockOffsetMs, onDeath }: { clockOffsetMs: number; onDeath: () => void },
) {
  const delayed: (() => void)[] = [];
  const state = {
    name,
    isAlive: true,
    isAsleep: false,
    /** What its clock is ahead of the true time. */
    clockOffsetMs,
    /** When it was last killed, put to sleep, or denied something by the database. */
    troubledAt: Number.NEGATIVE_INFINITY,
    sleptMs: 0,

    now: () => Math.floor(epochMs + scheduler.now() + state.clockOffsetMs),

    /** Lets the process go on with `step`, as soon as it can. */
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
      tell(name, 'is killed');
      onDeath();
    },

    /** Ends it without a word. */
    stop(): void {
      state.isAlive = false;
    },

    sleep(ms: number): void {
      if (!state.isAlive || state.isAsleep) return;
      state.isAsleep = true;
      state.troubledAt = scheduler.now();
      tell(name, `sleeps for ${Math.round(ms)} ms`);
      const since = scheduler.now();
      scheduler.after(ms, () => wake(since));
    },

    /** The process comes over a boundary: the moment to kill it, or to let it sleep. */
    cross(): void {
      const { dies, sleeps } = climate().process;
      if (random.chance(dies)) state.kill();
      else if (random.chance(sleeps)) state.sleep(random.pick([300, 6_000, 12_000, 20_000]));
    },
  };

  const timer: Timer = {
    monotonic: () => scheduler.now(),
    after(ms, callback) {
      let isCancelled = false;
      const cancel = scheduler.after(Math.max(shortestMs, ms), () =>
        state.resume(() => {
          if (!isCancelled) callback();
        }),
      );
      return () => {
        isCancelled = true;
        cancel();
      };
    },
  };

  /** What came meanwhile is there at once, time-outs and answers alike, in any order. */
  function wake(since: number): void {
    if (!state.isAlive) return;
    state.isAsleep = false;
    state.sleptMs += scheduler.now() - since;
    state.troubledAt = scheduler.now();
    count('woken from sleep');
    tell(name, 'wakes');
    const steps = delayed.splice(0);
    if (random.chance(0.5)) steps.reverse();
    for (const step of steps) scheduler.after(0, () => state.resume(step));
  }

  return Object.assign(state, { timer });
}
