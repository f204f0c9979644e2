/**
 * Facts about the back end that last opened this database, for programs that run beside it: one text in a form
 * that the back end chooses, without secrets (docs/decisions/0050-commands-beside.md).
 */
export interface BackEndStore {
  /** Replaces the last text. Writes nothing when it is the same. */
  record(facts: string): Promise<void>;
  /** Undefined: no back end has recorded any. */
  last(): Promise<string | undefined>;
}
