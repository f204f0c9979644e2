/** Opens the database with its keys, as soon as it is available. */
import { openServerKeyring, openStore, type Store } from '@dowel/installation-store';
import { awaitDatabase } from './await-database.ts';
import type { Config } from './configuration.ts';
import type { Log } from './log/log.ts';
import type { Observe } from './observation.ts';

/**
 * @param signal ends the wait.
 * @throws StoreError; the signal's reason.
 */
export function openServerStore(
  { keyFile, database }: Pick<Config, 'keyFile' | 'database'>,
  { log, observe, signal }: { log: Log; observe: Observe; signal: AbortSignal },
): Promise<Store> {
  const open = async () => {
    const keyring = await openServerKeyring({ keyFile, database }, (err) =>
      log.error({ err }, 'key_file.trouble'),
    );
    return openStore({ ...database, keyring });
  };
  const onWaiting = (message: string) => observe({ type: 'database.awaited', message });
  return awaitDatabase(open, log, { onWaiting, signal });
}
