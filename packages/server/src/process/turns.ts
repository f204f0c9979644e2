/** The periodic work of `runOnce`. What has begun is finished before the store is closed. */
import { pause, systemTimer } from '@dowel/http';
import type { Store } from '@dowel/installation-store';
import type { App } from '../app/create-app.ts';
import { assertFunction } from '../base/option-shapes.ts';
import { runOnce } from '../hooks/run-once.ts';
import type { Turn, TurnWork } from '../server-options.ts';

export interface Turns {
  /** Work under way. */
  running: Set<Promise<unknown>>;
  /** Aborted when the time of the stop is over. */
  closing: AbortController;
}

export function createTurns(): Turns {
  return { running: new Set(), closing: new AbortController() };
}

interface TurnContext {
  app: Pick<App, 'stopping'>;
  store: Pick<Store, 'takeTurn'>;
  turns: Turns;
}

/** A process that stops takes no turn: another one can do the work to its end. */
export async function runTurn(
  { app, store, turns: { running, closing } }: TurnContext,
  turn: Turn,
  work: TurnWork,
): Promise<boolean> {
  if (app.stopping.aborted) return false;
  // `runOnce` sees only the function around it.
  assertFunction('The work of runOnce', work ?? null);
  const { signal } = closing;
  const ran = runOnce(store, turn, () => {
    // The stop may have ended while the database was asked for the turn.
    signal.throwIfAborted();
    return work({ signal });
  });
  running.add(ran);
  return ran.finally(() => running.delete(ran));
}

/** Work that still runs after `graceMs` is aborted, and not waited for. */
export async function endTurns({ running, closing }: Turns, graceMs: number): Promise<void> {
  const patience = new AbortController();
  void Promise.allSettled(running).then(() => patience.abort());
  await pause(systemTimer, graceMs, patience.signal);
  closing.abort(new Error('The process stops'));
}
