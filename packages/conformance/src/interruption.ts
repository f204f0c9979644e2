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

/** Resolves when the work is over, and at the latest after this time. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, sleep(ms, undefined, { ref: false })]);
}
