/** The database shared by several processes. */
import { createKeyring, openStore, type Store } from '@dowel/installation-store';
import type { TestDatabase } from '@dowel/installation-store/testing';

export interface StoreLocation {
  location: TestDatabase['location'];
  /** 32 bytes in base64. */
  key: string;
}

export function openLocation({ location, key }: StoreLocation): Promise<Store> {
  return openStore({ ...location, keyring: createKeyring(Buffer.from(key, 'base64')) });
}
