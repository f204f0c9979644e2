import type { Store } from '@dowel/installation-store';

/**
 * Runs periodic work in one of all processes. Call it at an interval in each of them, more often than
 * `everyMs`. The turn is taken before the work runs: if the work fails, or its process dies, the next
 * run is after `everyMs`.
 *
 * @returns whether this call ran the work.
 * @throws what the work throws; StoreError; TypeError for an interval that is not a whole number of milliseconds.
 */
export async function runOnce(
  store: Pick<Store, 'takeTurn'>,
  { name, everyMs }: { name: string; everyMs: number },
  work: () => Promise<void> | void,
): Promise<boolean> {
  const isMine = await store.takeTurn(name, everyMs);
  if (isMine) await work();
  return isMine;
}
