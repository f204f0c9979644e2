/** The state that the parts of one history share. */
import type { Climate } from './climate.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import type { Situation } from './situations.ts';

export interface Simulation {
  random: Random;
  scheduler: Scheduler;
  /** The faults of the present moment. */
  climate(): Climate;
  /** True time in epoch milliseconds, which the platform's clock shows. */
  now(): number;
  /** Milliseconds by which the database's clock is ahead, and when it was last set. */
  databaseClock: { offsetMs: number; steppedAt: number; wasSetBack: boolean };
  /** Adds a line to the trace. */
  log(who: string, what: string): void;
  count(situation: Situation): void;
  /** Ends the history: a promise is broken. */
  violate(rule: string, detail: string): void;
}

/** Marks every secret of the simulated world, so that a leaked one is found. */
export const secretMark = 'secret/';

export const epochMs = 1_800_000_000_000;
