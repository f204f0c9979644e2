import type { ShapeEntry } from '@dowel/admin-api';

/** What the platform's events, pages and answers looked like, without values (docs/operations.md, "Shapes"). */
export interface ShapeStore {
  /**
   * Adds to what was counted before, by any process. Of each kind the 20 shapes that were seen last are kept. Call it
   * inside a transaction. Each shape of a kind occurs once.
   */
  add(counts: readonly ShapeEntry[]): Promise<void>;
  /** By kind, the latest first. */
  list(): Promise<ShapeEntry[]>;
}
