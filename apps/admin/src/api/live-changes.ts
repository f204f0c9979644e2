/**
 * The BFF's stream of changes. It marks queries as stale and shows whether the page is live. EventSource
 * reconnects by itself, except after an answer that is not a stream. In that case this module
 * reconnects.
 */
import { changeSchema } from '@dowel/schema';
import type { QueryClient } from '@tanstack/react-query';
import { apiPath } from './api-client.ts';
import { installationKey, installationsKey, sessionKey } from './queries.ts';

export interface LiveStatus {
  state: 'connecting' | 'connected' | 'reconnecting';
  /** This browser's clock when the stream broke off; only while it is reconnecting. */
  cutOffAt?: number;
}

/** The part of EventSource that is used. */
export interface ChangeSource {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: Event) => void): void;
  close(): void;
}

export interface LiveChangesOptions {
  queryClient: QueryClient;
  onStatus: (status: LiveStatus) => void;
  open?: ((url: string) => ChangeSource) | undefined;
}

const coalesceMs = 250;
const reopenMs = 3_000;
const closed = 2;

/** @returns a function that stops listening. */
export function watchChanges({ queryClient, onStatus, open = openSource }: LiveChangesOptions) {
  const stale = createStaleSet(queryClient);
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let cutOffAt: number | undefined;
  let source = connect();

  function connect(): ChangeSource {
    const next = open(`${apiPath}/changes`);
    next.addEventListener('open', () => {
      onStatus({ state: 'connected' });
      if (cutOffAt !== undefined) stale.addAll();
      cutOffAt = undefined;
    });
    next.addEventListener('changed', (event) => stale.add(parseChange(event)));
    next.addEventListener('error', () => {
      cutOffAt ??= Date.now();
      onStatus({ state: 'reconnecting', cutOffAt });
      if (next.readyState === closed) reopen();
    });
    return next;
  }

  /** A refused stream may mean that the session has ended: the session query checks it. */
  function reopen(): void {
    void queryClient.invalidateQueries({ queryKey: sessionKey });
    clearTimeout(reopening);
    reopening = setTimeout(() => {
      source = connect();
    }, reopenMs);
  }

  return () => {
    clearTimeout(reopening);
    stale.clear();
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

/**
 * Many changes within a short time load each page once. Changes during a load wait until it is complete.
 * Otherwise steady changes would cancel every load of a long list, and the list would never appear.
 */
function createStaleSet(queryClient: QueryClient) {
  const ids = new Set<string>();
  let isStale = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    const keys = [installationsKey, ...[...ids].map(installationKey)];
    ids.clear();
    isStale = false;
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    timer = undefined;
    if (isStale) schedule();
  }

  function schedule(): void {
    timer ??= setTimeout(() => void flush(), coalesceMs);
  }

  return {
    add(id: string | undefined): void {
      if (id !== undefined) ids.add(id);
      isStale = true;
      schedule();
    },
    addAll: () => void queryClient.invalidateQueries(),
    clear: () => clearTimeout(timer),
  };
}
