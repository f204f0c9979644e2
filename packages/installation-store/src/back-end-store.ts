/**
 * What the back end that opened this database last uses, for programs that act beside it: one text of its own form,
 * without secrets (docs/decisions/0050-commands-beside.md).
 */
export interface BackEndStore {
  /** Replaces the last text. Writes nothing when it is the same. */
  record(facts: string): Promise<void>;
  /** Undefined: no back end has recorded any. */
  last(): Promise<string | undefined>;
}
