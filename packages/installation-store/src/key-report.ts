/** What operators see of the encryption keys and of the database. Contains no secrets and no ciphertext. */
import type { KeyUsage } from './rotation/keyring-rotation.ts';

/** One encryption key. `values` is null while they are being counted for the first time. */
export type KeyFacts = Omit<KeyUsage, 'values'> & { values: number | null };

export interface KeyReport {
  /** The keys of this process, the active one first, then the missing ones. */
  keys: KeyFacts[];
  /** Values that name no key: they are damaged. */
  unnamedValues: number;
  /** When the newest complete count ended, in epoch milliseconds; null: there is none yet. */
  countedAt: number | null;
  /** The rows that a count under way has read; null: none is under way. */
  counting: { rows: number } | null;
}

export interface DatabaseReport {
  engine: 'SQLite' | 'PostgreSQL';
  version: string;
  /** The name of the newest migration of the schema. */
  migration: string;
}
