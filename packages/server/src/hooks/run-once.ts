import type { Store } from '@dowel/installation-store';
import { assertFunction, assertObject, assertText } from '../base/option-shapes.ts';

/**
 * Runs periodic work in one of all processes. Call it at an interval in each of them, more often than
 * `everyMs`. The turn is taken before the work runs: if the work fails, or its process dies, the next
 * run is after `everyMs`.
 *
 * @returns whether this call ran the work.
 * @throws what the work throws; StoreError; TypeError for an interval that is not a whole number of milliseconds, without a name, and for work that is no
 *   function.
 */
export async function runOnce(
  store: Pick<Store, 'takeTurn'>,
  turn: { name: string; everyMs: number },
  work: () => Promise<void> | void,
): Promise<boolean> {
  assertObject('The turn of runOnce', turn);
  const { name, everyMs } = turn;
  // Before the turn is taken: the next one is after `everyMs`.
  assertText('The name of runOnce', name ?? null);
  assertFunction('The work of runOnce', work ?? null);
  const isMine = await store.takeTurn(name, everyMs);
  if (isMine) await work();
  return isMine;
}
