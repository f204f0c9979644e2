/** Opens the database with its keys, as soon as it is available. */
import {
  type CheckpointObservation,
  type Keyring,
  openServerKeyring,
  openStore,
  type Store,
} from '@dowel/installation-store';
import type { Log } from '../log/log.ts';
import type { Observe } from '../observation.ts';
import type { Configuration } from '../settings/read-configuration.ts';
import { awaitDatabase } from './await-database.ts';

/**
 * @param signal ends the wait.
 * @throws StoreError; the signal's reason.
 */
export function openServerStore(
  { keyFile, database }: Pick<Configuration, 'keyFile' | 'database'>,
  { log, observe, signal }: { log: Log; observe: Observe; signal: AbortSignal },
): Promise<Store> {
  // Read once, also if the database is not available: the key file may be a pipe.
  let keyring: Keyring | undefined;
  const open = async () => {
    keyring ??= await openServerKeyring({ keyFile, database }, (message) => log.warn(message));
    return openStore({ ...database, keyring, observe: (seen) => logCheckpoint(log, seen) });
  };
  const onWaiting = (message: string) => observe({ type: 'database.awaited', message });
  return awaitDatabase(open, log, { onWaiting, signal });
}

function logCheckpoint(log: Log, seen: CheckpointObservation): void {
  switch (seen.type) {
    case 'thread_ended':
      log.error({ reason: seen.reason }, 'checkpoint.thread_ended');
      return;
    case 'failing':
      log.warn({ reason: seen.reason }, 'checkpoint.failing');
      return;
    case 'recovered':
      log.info('checkpoint.recovered');
  }
}
