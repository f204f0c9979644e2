/** Provides the keys that may have signed a JWT. */
import type { PlatformKey } from './platform-key.ts';

export interface KeySource {
  /** @throws PlatformJwtError `key_fetch_failed`, `key_fetch_limited` or `key_not_acceptable` */
  load(): Promise<readonly PlatformKey[]>;
  /**
   * Loads newer keys than `tried`, because none of those verified the signature: the key may have been replaced
   * under its old name. `undefined` if there are none.
   */
  reload(tried: readonly PlatformKey[]): Promise<readonly PlatformKey[] | undefined>;
  /** Call it when one of the keys has verified a signature. */
  confirm(): void;
}

/** Keys that do not change while the process runs. */
export function createStaticKeySource(keys: readonly PlatformKey[]): KeySource {
  return { load: async () => keys, reload: async () => undefined, confirm: () => {} };
}
