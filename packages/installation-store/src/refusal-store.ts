import type { RefusalGroup } from '@dowel/schema';

/** Refusals of one group within the five minutes that began at `bucketAt`, epoch milliseconds. */
export interface RefusalCount extends RefusalGroup {
  bucketAt: number;
}

/** What was refused before it reached an installation (docs/decisions/0046). */
export interface RefusalStore {
  /** Adds to what was counted before, by any process. All of them or none. Each group occurs once. */
  add(counts: readonly RefusalCount[]): Promise<void>;
}
