export interface KeyLocation {
  /** The URL of a key document. */
  location: string;
  /** When one of its keys last verified a signature, by the database's clock, to about a day. */
  usedAt: number;
}

/**
 * Locations of keys that have verified a signature, for all processes. After a restart they have priority
 * over locations that strangers invent. Contains no keys.
 */
export interface KeyLocationStore {
  /** Most recently used first, at most 512. */
  list(): Promise<KeyLocation[]>;
  /** Records that the location is in use. Beyond 512, the least recently used are deleted. */
  remember(location: string): Promise<void>;
}
