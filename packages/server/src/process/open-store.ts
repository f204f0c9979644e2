/** Opens the database with its keys, as soon as it is available. */
import {
  type Keyring,
  openServerKeyring,
  openStore,
  type Store,
  type StoreObservation,
} from '@dowel/installation-store';
import type { Log } from '../log/log.ts';
import type { Observe } from '../observation.ts';
import type { Configuration } from '../settings/read-configuration.ts';
import { awaitDatabase } from './await-database.ts';

/**
 * @param signal ends the wait.
 * @throws StoreError; the signal's reason.
 */
export async function openServerStore(
  {
    keyFile,
    database,
    withoutDatabaseMs,
  }: Pick<Configuration, 'keyFile' | 'database' | 'withoutDatabaseMs'>,
  { log, observe, signal }: { log: Log; observe: Observe; signal: AbortSignal },
): Promise<Store> {
  // Read once, also if the database is not available: the key file may be a pipe.
  let keyring: Keyring | undefined;
  const open = async () => {
    keyring ??= await openServerKeyring({ keyFile, database }, (message) => log.warn(message));
    const logSeen = (seen: StoreObservation) => logDatabase(log, seen);
    return openStore({ ...database, keyring, withoutDatabaseMs, observe: logSeen });
  };
  const onWaiting = (message: string) => observe({ type: 'database.awaited', message });
  const store = await awaitDatabase(open, log, { onWaiting, signal });
  const { risk } = await store.describeDatabase().catch(() => ({ risk: null }));
  if (risk) log.warn({ risk, fix: fixes[risk] }, 'database.may_lose_commits');
  return store;
}

const fixes = {
  commit_level:
    'Set synchronous_commit to on. With a lower level, a failover may lose the last tokens and installations.',
  asynchronous_standby:
    'Name the standby in synchronous_standby_names. While it is asynchronous, a failover may lose the last tokens and installations.',
};

function logDatabase(log: Log, seen: StoreObservation): void {
  switch (seen.type) {
    case 'went_back': {
      const { changed, restored, gone } = seen;
      const fix =
        'The database lost committed changes, in a failover to a standby that lagged or by a restored backup. Installations that are gone must be installed again.';
      log.error({ changed, restored, gone, fix }, 'database.went_back');
      return;
    }
    case 'pooled':
      log.info('listener.pooled');
      return;
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
