/** What operators see of the encryption keys and of the database. Contains no secrets and no ciphertext. */

export interface KeyFacts {
  id: string;
  /** `missing`: the database uses it, but the key file does not contain it. */
  state: 'active' | 'old' | 'missing';
  /** How many stored values are sealed with it; null: they are being counted for the first time. */
  values: number | null;
  /** A lower bound of how many values it has sealed. */
  uses: number;
  /** It has sealed so many values that it should be replaced. */
  isWornOut: boolean;
  /** When this database first had it as the active key, in epoch milliseconds; null: it was not seen as active. */
  since: number | null;
}

export interface KeyReport {
  /** The keys of the key file, the active one first, then the missing ones. */
  keys: KeyFacts[];
  /** Values that name no key: they are damaged. */
  unnamedValues: number;
  /** When the newest complete count ended, in epoch milliseconds; null: there is none yet. */
  countedAt: number | null;
  /** The installations that a count under way has read; null: none is under way. */
  counting: { rows: number } | null;
  /** A key should be replaced when it has sealed this many values. */
  usesLimit: number;
}

export interface DatabaseReport {
  engine: 'SQLite' | 'PostgreSQL';
  version: string;
  /** The name of the newest migration of the schema. */
  migration: string;
}
