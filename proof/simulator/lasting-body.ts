/** The body of an answer that comes in pieces, for a long time or without end. */
import { NetworkError } from './network-error.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';

export interface LastingBody {
  /** The time after the headers. Infinity: it has no end. */
  lastsMs: number;
  /** The caller's signal. It also covers the body. */
  signal: AbortSignal | null;
  /** Called when its connection is no longer needed. */
  onEnd: () => void;
}

const pieceEveryMs = 2_000;
const piece = new TextEncoder().encode('data: {}\n\n');
/** The probability that one piece fails. */
const breaksOff = 0.05;

export function createLastingBody(
  { scheduler, random, count }: Simulation,
  process: SimulatedProcess,
  { lastsMs, signal, onEnd }: LastingBody,
): ReadableStream<Uint8Array> {
  const endsAt = scheduler.now() + lastsMs;
  let isOver = false;

  function end(settle: () => void): void {
    if (isOver) return;
    isOver = true;
    onEnd();
    settle();
  }

  function start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    signal?.addEventListener('abort', () => end(() => controller.error(signal.reason)));
    sendLater(controller);
  }

  function sendLater(controller: ReadableStreamDefaultController<Uint8Array>): void {
    scheduler.after(pieceEveryMs, () => process.resume(() => send(controller)));
  }

  function send(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (isOver) return;
    if (scheduler.now() >= endsAt) {
      end(() => controller.close());
    } else if (random.chance(breaksOff)) {
      count('body: broke off');
      end(() => controller.error(new NetworkError('UND_ERR_SOCKET')));
    } else {
      controller.enqueue(piece);
      sendLater(controller);
    }
  }

  return new ReadableStream({ start, cancel: () => end(() => {}) });
}
