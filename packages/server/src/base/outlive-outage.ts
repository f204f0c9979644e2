/** Events wait for a database that is away: the platform sends `install` and `access_token` once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Store, StoreError } from '@dowel/installation-store';

/** Longer than a failover takes. The platform waits for 30 seconds. */
const waitMs = 26_000;
const pauseMs = 200;

/**
 * Repeats `work` while it fails because the database is away. After 26 seconds of an outage it throws, and a try under way
 * goes on: the same event may come again, and is then found.
 *
 * @throws what `work` throws; StoreError `DATABASE_UNAVAILABLE`
 */
export async function outliveOutage<Result>(
  store: Pick<Store, 'isAway'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await endWithOutage(store, work(), deadline);
    } catch (error) {
      const mayPass = error instanceof StoreError && error.lack === 'answers';
      if (!mayPass || performance.now() >= deadline) throw error;
      await sleep(pauseMs);
    }
  }
}

/** Waits for the work, but after the deadline only while the database is there. */
async function endWithOutage<Result>(
  store: Pick<Store, 'isAway'>,
  work: Promise<Result>,
  deadline: number,
): Promise<Result> {
  const isDone = new AbortController();
  const { signal } = isDone;
  const waiting = (async () => {
    await sleep(Math.max(0, deadline - performance.now()), undefined, { signal });
    while (!store.isAway()) await sleep(pauseMs, undefined, { signal });
    throw new StoreError('DATABASE_UNAVAILABLE', 'The database does not answer', {
      reason: 'database_unreachable',
      lack: 'answers',
    });
  })();
  try {
    return await Promise.race([work, waiting]);
  } finally {
    isDone.abort();
  }
}
