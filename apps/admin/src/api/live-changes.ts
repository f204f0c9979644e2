/**
 * The BFF's stream of changes, and whether the page is live. EventSource reconnects by itself, and the BFF then sends
 * what was missed. After an answer that is not a stream EventSource gives up; this module opens another.
 */
import { type LiveChanges, liveChangesSchema } from '@dowel/schema';
import { apiPath } from './request.ts';

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
  /** Called with the changes of about a second. */
  onChanged: (changes: LiveChanges) => void;
  /** Anything may have changed since the stream was cut off; or, at its first start, since the page was opened. */
  onGap: (isStart: boolean) => void;
  /** Called when the stream was refused: the session may have ended. */
  onRefused: () => void;
  open?: ((url: string) => ChangeSource) | undefined;
}

const reopenMs = 3_000;
const closed = 2;

/** @returns a function that stops listening. */
export function watchChanges(options: LiveChangesOptions): () => void {
  const { onStatus, onChanged, onGap, onRefused, open = openSource } = options;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let cutOffAt: number | undefined;
  let wasCutOff = false;
  let source = connect();

  function connect(): ChangeSource {
    const next = open(`${apiPath}/changes`);
    next.addEventListener('open', () => {
      onStatus({ state: 'connected' });
      cutOffAt = undefined;
    });
    // The stream begins here. Data that was loaded earlier may have changed.
    next.addEventListener('position', () => onGap(!wasCutOff));
    next.addEventListener('changed', (event) => {
      const changes = parseChanges(event);
      if (changes) onChanged(changes);
      else onGap(false);
    });
    next.addEventListener('gap', () => onGap(false));
    next.addEventListener('error', () => {
      cutOffAt ??= Date.now();
      wasCutOff = true;
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
    source.close();
  };
}

function openSource(url: string): ChangeSource {
  return new EventSource(url);
}

/** Undefined: a newer version of the BFF may have sent it. */
function parseChanges(event: Event): LiveChanges | undefined {
  const data: unknown = 'data' in event ? event.data : undefined;
  try {
    return liveChangesSchema.parse(JSON.parse(String(data)));
  } catch {
    return undefined;
  }
}
