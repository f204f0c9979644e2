/**
 * The port of runs: one action on many installations. A run belongs to no
 * process: if the process that works on it ends, another one continues
 * (docs/decisions/0043-operator-actions.md). Points in time are by the database's clock.
 */
import type { Run } from '@dowel/admin-api';
import type { NewAuditEntry } from './operator-store.ts';

/** Who began the run: each of its actions has this in the audit. */
export type RunActor = Pick<NewAuditEntry, 'who' | 'role' | 'way' | 'from' | 'identity'>;

export interface NewRun extends Pick<Run, 'id' | 'action' | 'reason'> {
  actor: RunActor;
  /** The revision of the account that the session belongs to; null: it belongs to none, as after a one-time code. */
  accountRevision: string | null;
  /** The installations that it takes, in this order, each once. */
  ids: readonly string[];
}

/** The progress of a run, and its results so far. */
export interface RunProgress
  extends Pick<Run, 'done' | 'unchanged' | 'refused' | 'failed' | 'refusals'> {
  /** How many installations were taken. */
  position: number;
}

/** The right to work on a run. It ends with its lease, or when another process claims the run. */
export interface ClaimedRun extends RunProgress, Pick<Run, 'id' | 'action' | 'reason' | 'total'> {
  actor: RunActor;
  /** Names this claim. */
  claim: string;
}

export interface RunStore {
  /**
   * Writes a run that no process works on yet.
   *
   * @returns false: one of the same action is under way, in any process, and nothing was written; or this one was ended
   * by another process before it was whole, and does nothing.
   */
  begin(run: NewRun): Promise<boolean>;
  /** Claims a run that no process works on: the one that began first. `id`: only this one. */
  claim(leaseMs: number, id?: string): Promise<ClaimedRun | undefined>;
  /** The next installations from a position on; fewer than `limit` only at the end. */
  listIds(id: string, position: number, limit: number): Promise<string[]>;
  /**
   * Stores how far it has come, and extends the lease. 0: another process may claim it at once. The run is stopping
   * from then on if the account that began it has changed or is gone.
   *
   * @returns undefined: another process has claimed it, or it is over.
   */
  report(
    claimed: Pick<ClaimedRun, 'id' | 'claim'>,
    progress: RunProgress,
    leaseMs: number,
  ): Promise<'running' | 'stopping' | undefined>;
  /** Ends the run: as done if everything was taken, otherwise as stopped. */
  end(claimed: Pick<ClaimedRun, 'id' | 'claim'>, progress: RunProgress): Promise<boolean>;
  /** @returns false: it is not running. */
  requestStop(id: string): Promise<boolean>;
  find(id: string): Promise<Run | undefined>;
  /** Those under way and those that ended within a day, the newest first; at most 50. */
  list(): Promise<Run[]>;
}
