import type { ServerResponse } from 'node:http';
import { isClosed } from './answer-state.ts';

/**
 * Calls `act` when the answer has ended or its client has left. Node emits `close` only once, so `act` is called at
 * once when that has happened before: while middleware of the host ran, or a handler.
 */
export function whenClosed(response: ServerResponse, act: () => void): void {
  if (isClosed(response)) act();
  else response.once('close', act);
}
