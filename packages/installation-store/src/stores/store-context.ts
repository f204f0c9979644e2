/** The context of every function of the stores. */
import type { Keyring } from '../sealing/keyring.ts';
import type { Database } from '../sql/database.ts';

export interface StoreContext extends Database {
  /** Seals and opens the secrets of the grants. */
  keyring: Keyring;
  /** Announces an installation whose history, lease or instances have changed, after the commit. */
  changed: (installationId: string) => void;
  /** Announces an installation whose token set or life has changed, after the commit. */
  tokensChanged: (installationId: string) => void;
}
