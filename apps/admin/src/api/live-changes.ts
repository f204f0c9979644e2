/**
 * The BFF's stream of changes. It collects the ids of changed installations, and shows whether the page is
 * live. EventSource reconnects by itself, except after an answer that is not a stream. In that case this
 * module reconnects.
 */
import { changeSchema } from '@dowel/schema';
import { apiPath } from './api-client.ts';

export type LiveStatus =
  | { state: 'connecting' | 'connected' }
  /** `cutOffAt`: this browser's clock when the stream broke off. */
  | { state: 'reconnecting'; cutOffAt: number };

/** The part of EventSource that is used. */
export interface ChangeSource {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: Event) => void): void;
  close(): void;
}

export interface LiveChangesOptions {
  onStatus: (status: LiveStatus) => void;
  /** Changes of about a second. It is not called again before its promise has settled. */
  onChanged: (ids: string[]) => Promise<void>;
  /** After an interruption, anything may have changed. */
  onResumed: () => void;
  /** The stream was refused: the session may have ended. */
  onRefused: () => void;
  open?: ((url: string) => ChangeSource) | undefined;
}

const coalesceMs = 1_000;
const reopenMs = 3_000;
const closed = 2;

/** @returns a function that stops listening. */
export function watchChanges(options: LiveChangesOptions): () => void {
  const { onStatus, onResumed, onRefused, open = openSource } = options;
  const changed = createChangedSet(options.onChanged);
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let cutOffAt: number | undefined;
  let source = connect();

  function connect(): ChangeSource {
    const next = open(`${apiPath}/changes`);
    next.addEventListener('open', () => {
      onStatus({ state: 'connected' });
      if (cutOffAt !== undefined) onResumed();
      cutOffAt = undefined;
    });
    next.addEventListener('changed', (event) => changed.add(parseChange(event)));
    next.addEventListener('error', () => {
      cutOffAt ??= Date.now();
      onStatus({ state: 'reconnecting', cutOffAt });
      if (next.readyState === closed) reopen();
    });
    return next;
  }

  function reopen(): void {
    onRefused();
    clearTimeout(reopening);
    reopening = setTimeout(() => {
      source = connect();
    }, reopenMs);
  }

  return () => {
    clearTimeout(reopening);
    changed.clear();
    source.close();
  };
}

function openSource(url: string): ChangeSource {
  return new EventSource(url);
}

function parseChange(event: Event): string | undefined {
  const data: unknown = 'data' in event ? event.data : undefined;
  try {
    return changeSchema.parse(JSON.parse(String(data))).installationId;
  } catch {
    return undefined;
  }
}

/** Many changes within a second are one call. Changes during a call wait until it is complete. */
function createChangedSet(onChanged: (ids: string[]) => Promise<void>) {
  const ids = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    const batch = [...ids];
    ids.clear();
    await onChanged(batch);
    timer = undefined;
    if (ids.size > 0) schedule();
  }

  function schedule(): void {
    timer ??= setTimeout(() => void flush(), coalesceMs);
  }

  return {
    add(id: string | undefined): void {
      if (id === undefined) return;
      ids.add(id);
      schedule();
    },
    clear: () => clearTimeout(timer),
  };
}
