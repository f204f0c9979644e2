/** Waits at the start until the database is available (fault D1). An exit would become a crash loop. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@dowel/installation-store';
import type { Log } from '../log/log.ts';

/** Short, so that the back end is ready within seconds of its database. */
const pauseMs = { first: 250, max: 2_000 };

/**
 * Opens the database as soon as it is available. Logs each different cause once.
 *
 * @param options.onWaiting called with each different cause, at every log level. `options.signal` ends the wait.
 * @throws what `open` throws, except `DATABASE_UNAVAILABLE`; the signal's reason.
 */
export async function awaitDatabase<Opened>(
  open: () => Promise<Opened>,
  logger: Pick<Log, 'info' | 'warn'>,
  { onWaiting, signal }: { onWaiting?: (message: string) => void; signal?: AbortSignal } = {},
): Promise<Opened> {
  const told = new Set<string>();
  signal?.throwIfAborted();
  for (let pauseFor = pauseMs.first; ; pauseFor = Math.min(pauseFor * 2, pauseMs.max)) {
    try {
      const opened = await open();
      if (told.size > 0) logger.info('database.available');
      return opened;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'DATABASE_UNAVAILABLE') throw error;
      if (!told.has(error.message)) {
        logger.warn({ reason: error.message }, 'database.awaited');
        onWaiting?.(error.message);
      }
      told.add(error.message);
    }
    await sleep(pauseFor, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
