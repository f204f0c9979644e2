/** Roles and times of runs. */
import type { OperatorRole, Run } from '@dowel/schema';

/** The role that may start or stop a run. Sealing all values with a new key is for owners. */
export const roleOfRun = (action: Run['action']): OperatorRole =>
  action === 'reencrypt' ? 'owner' : 'operator';
/** The pause after each step keeps the database free for other work. */
export const pauseMs = 10;
/** At this interval the progress is stored and a requested stop is noticed. */
export const reportMs = 1_000;
/** Longer than a step takes, so that a process that only waits for a platform keeps its run. */
export const leaseMs = 60_000;
