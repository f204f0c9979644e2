/**
 * The BFF's stream of changes, and whether the page is live. EventSource reconnects by itself, and the BFF then sends
 * what was missed. This module opens another where EventSource does not: after an answer that is not a stream, and
 * when nothing arrives any more. A hidden page has no stream: over HTTP/1.1 a browser opens six connections to a host,
 * for all its tabs together.
 */
import { type LiveChanges, liveChangesSchema } from '@dowel/admin-api';
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
  const { page = document } = options;
  const watch = new ChangeWatch(options);
  const hiding = createTimer(hiddenMs, () => watch.pause());

  function followPage(): void {
    if (page.hidden) hiding.restart();
    else {
      hiding.stop();
      watch.resume();
    }
  }

  if (page.hidden) watch.pause();
  else watch.resume();
  page.addEventListener('visibilitychange', followPage);
  return () => {
    page.removeEventListener('visibilitychange', followPage);
    hiding.stop();
    watch.stop();
  };
}

/** The stream, opened again when it breaks off. */
class ChangeWatch {
  readonly #options: LiveChangesOptions;
  #source: ChangeSource | undefined;
  #heardAt = Date.now();
  #cutOffAt: number | undefined;
  #wasCutOff = false;
  readonly #reopening = createTimer(reopenMs, () => this.#connect());
  // The network may lose a connection without telling the browser.
  readonly #silence = createTimer(silentMs, () => {
    const cutOffAt = this.#noteCutOff(this.#heardAt);
    this.#options.onStatus({ state: 'reconnecting', cutOffAt });
    this.#connect();
  });

  constructor(options: LiveChangesOptions) {
    this.#options = options;
  }

  resume(): void {
    if (!this.#source) this.#connect();
  }

  /** Until the next start, the data of the page may become old. */
  pause(): void {
    this.#noteCutOff(Date.now());
    this.stop();
    this.#options.onStatus({ state: 'connecting' });
  }

  stop(): void {
    this.#reopening.stop();
    this.#silence.stop();
    this.#source?.close();
    this.#source = undefined;
  }

  #connect(): void {
    const { onStatus, onChanged, onGap, open = openSource } = this.#options;
    this.#source?.close();
    const source = open(`${apiPath}/changes`);
    this.#source = source;
    this.#silence.restart();
    const listen = (type: string, work?: (event: Event) => void) =>
      source.addEventListener(type, (event) => {
        this.#heardAt = Date.now();
        this.#silence.restart();
        work?.(event);
      });
    listen('beat');
    listen('open', () => {
      onStatus({ state: 'connected' });
      this.#cutOffAt = undefined;
    });
    // The stream begins here. Data that was loaded earlier may have changed.
    listen('position', () => onGap(!this.#wasCutOff));
    listen('changed', (event) => {
      const changes = parseChanges(event);
      if (changes) onChanged(changes);
      else onGap(false);
    });
    listen('gap', () => onGap(false));
    source.addEventListener('error', () => this.#handleError(source));
  }

  #handleError({ readyState }: ChangeSource): void {
    const { onStatus, onRefused } = this.#options;
    onStatus({ state: 'reconnecting', cutOffAt: this.#noteCutOff(Date.now()) });
    if (readyState !== closed) {
      // The browser tries again by itself, with its last position.
      this.#silence.restart();
      return;
    }
    this.#silence.stop();
    onRefused();
    this.#reopening.restart();
  }

  /** @returns since when the page is not live. */
  #noteCutOff(at: number): number {
    this.#wasCutOff = true;
    this.#cutOffAt ??= at;
    return this.#cutOffAt;
  }
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
