/**
 * Looks each name up once at a time. A look-up occupies a thread for as long as the name servers take, nothing ends it,
 * and by default the process has two threads for names. Without this, one tenant whose name servers are silent would
 * hold up every new connection of the process, and that to its database.
 */
import type { LookupFunction } from 'node:net';

/** How long a slow answer is used again, in milliseconds. Each further one in a row doubles it. */
const keptMs = { first: 5_000, max: 30_000 };
/** How many slow names are remembered. The oldest one is forgotten. */
const maxSlowNames = 1_000;

type Callback = Parameters<LookupFunction>[2];
/** An error, or addresses. */
type Answer = Parameters<Callback>;

interface PendingLookup {
  /** By {@link SharedLookupOptions.now}. */
  startedAt: number;
  waiting: Callback[];
}

interface SlowName {
  answer: Answer;
  keptForMs: number;
  keptUntil: number;
}

export interface SharedLookupOptions {
  /** An answer is slow after this time, in milliseconds. */
  slowMs: number;
  /** Milliseconds that never go back. Default `performance.now`. */
  now?: () => number;
}

/**
 * Callers that ask for the same name share one look-up. One that is slow gets no more callers: they fail at once, as
 * after a temporary failure of the name server. Its answer is then used again for a while.
 */
export function shareLookups(
  lookup: LookupFunction,
  { slowMs, now = () => performance.now() }: SharedLookupOptions,
): LookupFunction {
  const pending = new Map<string, PendingLookup>();
  const slowNames = new Map<string, SlowName>();

  function remember(key: string, answer: Answer): void {
    const last = slowNames.get(key);
    const keptForMs = last ? Math.min(2 * last.keptForMs, keptMs.max) : keptMs.first;
    slowNames.delete(key);
    const [oldest] = slowNames.keys();
    if (oldest !== undefined && slowNames.size >= maxSlowNames) slowNames.delete(oldest);
    slowNames.set(key, { answer, keptForMs, keptUntil: now() + keptForMs });
  }

  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options]);
    const slow = slowNames.get(key);
    if (slow && now() < slow.keptUntil) return callback(...slow.answer);
    const running = pending.get(key);
    if (running) {
      if (now() - running.startedAt < slowMs) running.waiting.push(callback);
      else callback(unanswered(hostname), '');
      return;
    }
    const begun = { startedAt: now(), waiting: [callback] };
    pending.set(key, begun);
    lookup(hostname, options, (...answer) => {
      pending.delete(key);
      if (now() - begun.startedAt < slowMs) slowNames.delete(key);
      else remember(key, answer);
      for (const answerWaiter of begun.waiting) answerWaiter(...answer);
    });
  };
}

function unanswered(hostname: string): NodeJS.ErrnoException {
  const error = new Error(`The name servers of ${hostname} have not answered yet`);
  return Object.assign(error, { code: 'EAI_AGAIN', syscall: 'getaddrinfo' });
}
