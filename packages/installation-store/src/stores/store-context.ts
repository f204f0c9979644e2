/** The context of every function of the stores. */
import type { Keyring } from '../sealing/keyring.ts';
import type { Database } from '../sql/database.ts';

/** How long no lease is given, in milliseconds. */
export interface RefreshHold {
  allMs: number;
  /** For token sets with a lease that nobody has returned: its holder may be about to store its tokens. */
  leftMs: number;
}

export interface StoreContext extends Database {
  /** What an outage of the database holds back. */
  holdRefresh: () => RefreshHold;
  /** Seals and opens the secrets of the grants. */
  keyring: Keyring;
  /** Announces an installation whose history, lease or instances have changed, after the commit. */
  changed: (installationId: string) => void;
  /** Announces an installation whose token set or life has changed, after the commit. */
  tokensChanged: (installationId: string) => void;
}
