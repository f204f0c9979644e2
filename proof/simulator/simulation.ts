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
  /** True time, epoch milliseconds: what the platform's clock shows. */
  now(): number;
  /** How far ahead the database's clock is, and when it was set last; milliseconds. */
  databaseClock: { offsetMs: number; steppedAt: number };
  /** Adds a line to the trace. */
  log(who: string, what: string): void;
  count(situation: Situation): void;
  /** Ends the history: a promise is broken. */
  violate(rule: string, detail: string): void;
}

/** Marks every secret of the simulated world, so that one out of its place is seen. */
export const secretMark = 'secret/';

export const epochMs = 1_800_000_000_000;
