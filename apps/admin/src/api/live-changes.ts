/**
 * The BFF's stream of changes, and whether the page is live. EventSource reconnects by itself, and the BFF then sends
 * what was missed. This module opens another where EventSource does not: after an answer that is not a stream, and
 * when nothing arrives any more. A hidden page has no stream: over HTTP/1.1 a browser opens six connections to a host,
 * for all its tabs together.
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
  page?: Pick<Document, 'hidden'> & Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;
}

const reopenMs = 3_000;
/** Three beats of the BFF (packages/server/src/dashboard/change-stream.ts). */
const silentMs = 45_000;
/** How long a hidden page keeps its stream: a person may come back at once. */
const hiddenMs = 5_000;
const closed = 2;

/** @returns a function that stops listening. */
export function watchChanges(options: LiveChangesOptions): () => void {
  const { onStatus, onChanged, onGap, onRefused, open = openSource, page = document } = options;
  let source: ChangeSource | undefined;
  let heardAt = Date.now();
  let cutOffAt: number | undefined;
  // Until a hidden page is shown, its data may become old.
  let wasCutOff = page.hidden;
  const reopening = createTimer(reopenMs, connect);
  // The network may lose a connection without telling the browser.
  const silence = createTimer(silentMs, () => {
    noteCutOff(heardAt);
    connect();
  });
  const hiding = createTimer(hiddenMs, () => {
    cutOffAt ??= Date.now();
    wasCutOff = true;
    disconnect();
    onStatus({ state: 'connecting' });
  });

  function connect(): void {
    source?.close();
    const next = open(`${apiPath}/changes`);
    source = next;
    silence.restart();
    const listen = (type: string, work?: (event: Event) => void) =>
      next.addEventListener(type, (event) => {
        heardAt = Date.now();
        silence.restart();
        work?.(event);
      });
    listen('beat');
    listen('open', () => {
      onStatus({ state: 'connected' });
      cutOffAt = undefined;
    });
    // The stream begins here. Data that was loaded earlier may have changed.
    listen('position', () => onGap(!wasCutOff));
    listen('changed', (event) => {
      const changes = parseChanges(event);
      if (changes) onChanged(changes);
      else onGap(false);
    });
    listen('gap', () => onGap(false));
    next.addEventListener('error', () => {
      noteCutOff(Date.now());
      // The browser tries again by itself, with its last position.
      silence.restart();
      if (next.readyState === closed) reopen();
    });
  }

  function noteCutOff(at: number): void {
    cutOffAt ??= at;
    wasCutOff = true;
    onStatus({ state: 'reconnecting', cutOffAt });
  }

  function reopen(): void {
    silence.stop();
    onRefused();
    reopening.restart();
  }

  function disconnect(): void {
    reopening.stop();
    silence.stop();
    source?.close();
    source = undefined;
  }

  function followPage(): void {
    if (page.hidden) hiding.restart();
    else {
      hiding.stop();
      if (!source) connect();
    }
  }

  if (!page.hidden) connect();
  page.addEventListener('visibilitychange', followPage);
  return () => {
    page.removeEventListener('visibilitychange', followPage);
    hiding.stop();
    disconnect();
  };
}

function openSource(url: string): ChangeSource {
  return new EventSource(url);
}

/** Does the work that long after the last start. */
function createTimer(ms: number, work: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  return {
    stop,
    restart() {
      stop();
      timer = setTimeout(work, ms);
    },
  };
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
