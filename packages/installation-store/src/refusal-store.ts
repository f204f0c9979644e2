import type { RefusedReason, RefusedRequest } from '@dowel/admin-api';

/** Refusals for one reason within the hour that began at `hourAt`, epoch milliseconds. */
export interface RefusalCount extends RefusedReason {
  hourAt: number;
}

export interface NewRefusal extends RefusedRequest {
  /** Unique: a refusal that is added again is stored once. */
  id: string;
}

/** What was refused before it reached an installation (docs/decisions/0022-key-locations.md). */
export interface RefusalStore {
  /**
   * Adds to what was counted before, by any process. The counts are written last, all of them or none. Each hour and
   * reason occurs once. Of `last`, the newest ten of each reason are kept.
   */
  add(counts: readonly RefusalCount[], last: readonly NewRefusal[]): Promise<void>;
}
