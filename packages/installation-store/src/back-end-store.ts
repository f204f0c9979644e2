/** Where the back end is that last opened this database, for commands (docs/decisions/0042-sign-in.md). */
export interface BackEndStore {
  /**
   * Replaces the last address. Writes nothing when it is the same.
   *
   * @param url below which the dashboard's API is: with its base path, and without a slash at the end.
   */
  recordAdminUrl(url: string): Promise<void>;
  /** Undefined: no back end has opened the database. */
  findAdminUrl(): Promise<string | undefined>;
}
