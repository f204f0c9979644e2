/** Keeps the locations of verified keys in the store, for restarts and for other processes. */
import type { Store } from '@dowel/installation-store';
import type { KeyLocationMemory } from '@dowel/platform-jwt';
import type { Log } from '../log/log.ts';

export interface KeyLocationMemoryOptions {
  store: Pick<Store, 'keyLocations'>;
  logger: Pick<Log, 'warn'>;
}

export interface StoredKeyLocations extends KeyLocationMemory {
  /** Resolves when nothing is being written. */
  drain(): Promise<void>;
}

/** Strangers can cause reads, so a failure is logged once until the store works again. */
export function createKeyLocationMemory({
  store,
  logger,
}: KeyLocationMemoryOptions): StoredKeyLocations {
  const writing = new Set<Promise<void>>();
  let hasFailed = false;

  async function watch<Result>(work: Promise<Result>): Promise<Result> {
    try {
      const result = await work;
      hasFailed = false;
      return result;
    } catch (err) {
      if (!hasFailed) logger.warn({ err }, 'key_locations.unavailable');
      hasFailed = true;
      throw err;
    }
  }

  return {
    list: () => watch(store.keyLocations.list()),
    remember(location) {
      const written = watch(store.keyLocations.remember(location));
      writing.add(written);
      return written.finally(() => writing.delete(written));
    },
    async drain() {
      await Promise.allSettled(writing);
    },
  };
}
