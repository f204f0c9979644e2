/** How a process works on runs. */
import type { OperatorRole } from '@dowel/schema';

/** To start a run of an action, and to stop any run. */
export const runRole: OperatorRole = 'operator';
/** After each step, so that a run does not keep the database busy. */
export const pauseMs = 10;
/** How often the progress is stored, and a stop is noticed. */
export const reportMs = 1_000;
/** Longer than a step takes, so that a process that only waits for a platform keeps its run. */
export const leaseMs = 60_000;
