/** The context of every function of the stores. */
import type { Keyring } from '../sealing/keyring.ts';
import type { Database } from '../sql/database.ts';

export interface StoreContext extends Database {
  /** Seals and opens the secrets of the grants. */
  keyring: Keyring;
  /** Announces an installation whose rows have changed, after the commit. */
  changed: (installationId: string) => void;
}
