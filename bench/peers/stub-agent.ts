/** An undici dispatcher that answers each request at once with 204, for the measurement without a network. */
import { Dispatcher } from 'undici-7';

const controller: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: [],
  rawTrailers: [],
  abort() {},
  pause() {},
  resume() {},
};

export class StubAgent extends Dispatcher {
  /** undici 7 calls handlers in two ways: composed interceptors use the first, `request` the second. */
  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    if (handler.onRequestStart) {
      handler.onRequestStart(controller, {});
      handler.onResponseStart?.(controller, 204, {}, 'No Content');
      handler.onResponseEnd?.(controller, {});
    } else {
      handler.onConnect?.(() => {});
      handler.onHeaders?.(204, [], () => {}, 'No Content');
      handler.onComplete?.([]);
    }
    return true;
  }
}
