/** Where the keys that may have signed a JWT come from. */
import type { PlatformKey } from './platform-key.ts';

export interface KeySource {
  /** @throws PlatformJwtError `key_fetch_failed`, `key_fetch_limited` or `key_not_acceptable` */
  load(): Promise<readonly PlatformKey[]>;
  /**
   * Newer keys than `tried`, none of which verified, or `undefined` when there are none to be had:
   * the key may have been replaced under its old name.
   */
  reload(tried: readonly PlatformKey[]): Promise<readonly PlatformKey[] | undefined>;
  /** A signature held under one of the keys. */
  confirm(): void;
}

/** Keys that do not change while the process runs. */
export function createStaticKeySource(keys: readonly PlatformKey[]): KeySource {
  return { load: async () => keys, reload: async () => undefined, confirm: () => {} };
}
