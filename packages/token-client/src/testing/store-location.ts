/** Where a database is: the same for every process that shares it. */
import { createKeyring, openStore, type Store } from '@dowel/installation-store';

export interface StoreLocation {
  path: string;
  /** 32 bytes in base64. */
  key: string;
}

export function openLocation({ path, key }: StoreLocation): Promise<Store> {
  return openStore({ path, keyring: createKeyring(Buffer.from(key, 'base64')) });
}
