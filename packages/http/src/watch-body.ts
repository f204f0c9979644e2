/** The begin of a request and the end of its answer's body, as its connection sees them. */
import { type Dispatcher, errors } from 'undici';

export interface BodyWatch {
  /** The longest time that a body may wait for its reader. */
  idleTimeoutMs: number;
  /** Called when a connection is ready, right before the request is written to it. */
  onSend?: () => void;
  /** Called when the request no longer needs its connection. */
  onBodyEnd: (() => void) | undefined;
}

/**
 * A dispatcher for one request. The body time-out of undici stops while nobody reads, so a body that is too
 * large for the buffers would keep its connection as long as its reader keeps the response.
 */
export function watchBody(agent: Dispatcher, watch: BodyWatch): Dispatcher {
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    agent.dispatch(options, new WatchingHandler(handler, watch));
  // One request needs no other method.
  return { dispatch } as Dispatcher;
}

class WatchingHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #watch: BodyWatch;
  #unread: NodeJS.Timeout | undefined;

  constructor(handler: Dispatcher.DispatchHandler, watch: BodyWatch) {
    this.#handler = handler;
    this.#watch = watch;
  }

  onRequestStart(...values: Parameters<Required<Dispatcher.DispatchHandler>['onRequestStart']>) {
    this.#watch.onSend?.();
    this.#handler.onRequestStart?.(...values);
  }

  onResponseStarted() {
    this.#handler.onResponseStarted?.();
  }

  onResponseStart(...values: Parameters<Required<Dispatcher.DispatchHandler>['onResponseStart']>) {
    this.#handler.onResponseStart?.(...values);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    clearTimeout(this.#unread);
    this.#handler.onResponseData?.(controller, chunk);
    if (!controller.paused) return;
    const giveUp = () => controller.abort(new errors.BodyTimeoutError());
    this.#unread = setTimeout(giveUp, this.#watch.idleTimeoutMs).unref();
  }

  onResponseEnd(...values: Parameters<Required<Dispatcher.DispatchHandler>['onResponseEnd']>) {
    this.#end();
    this.#handler.onResponseEnd?.(...values);
  }

  onResponseError(...values: Parameters<Required<Dispatcher.DispatchHandler>['onResponseError']>) {
    this.#end();
    this.#handler.onResponseError?.(...values);
  }

  #end() {
    clearTimeout(this.#unread);
    this.#watch.onBodyEnd?.();
  }
}
