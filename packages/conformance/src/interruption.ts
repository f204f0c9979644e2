/** The early end of a run: by the caller, after too long a time, or because the back end stopped answering. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Interruption {
  /** Why the run has ended early, in one sentence. Null: it has not. */
  reason(): string | null;
  /** The first reason counts. */
  end(reason: string): void;
  /** Resolves when the run is ended early. */
  ended: Promise<void>;
}

export function watchForEnd(limitMs: number, signal: AbortSignal | undefined): Interruption {
  const controller = new AbortController();
  const end = (reason: string) => controller.abort(reason);
  const limit = AbortSignal.timeout(limitMs);
  limit.addEventListener('abort', () => end(`The run took longer than ${limitMs / 1000} s.`));
  const endByCaller = () => end('The run was ended.');
  if (signal?.aborted) endByCaller();
  signal?.addEventListener('abort', endByCaller);
  const { signal: all } = controller;
  return {
    reason: () => (all.aborted ? String(all.reason) : null),
    end,
    ended: all.aborted ? Promise.resolve() : once(all, 'abort').then(() => undefined),
  };
}

/**
 * Resolves when all have settled, or when none has settled for `quietMs`: a slow back end is waited for, one that hangs
 * is not.
 */
export async function whileTheySettle(
  quietMs: number,
  works: readonly Promise<unknown>[],
): Promise<void> {
  const open = new Set<Promise<unknown>>();
  for (const work of works) {
    const settled: Promise<boolean> = work.then(
      () => open.delete(settled),
      () => open.delete(settled),
    );
    open.add(settled);
  }
  while (open.size > 0) {
    const quiet = sleep(quietMs, 'quiet', { ref: false });
    if ((await Promise.race([...open, quiet])) === 'quiet') return;
  }
}
