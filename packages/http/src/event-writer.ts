import type { Writable } from 'node:stream';

/** Different events that wait for a slow reader. One more, and the reader has to connect again. */
const maxWaiting = 2_000;

export interface EventWriter {
  /** Sends an event. While the reader is behind, the event waits, and equal events become one. */
  send(this: void, event: string, data: object): void;
  /** Sends an event that is text already, with its empty line. */
  sendText(this: void, text: string): void;
  /** Sends a comment, which shows every proxy that the connection is in use. */
  beat(this: void): void;
}

/**
 * Writes server-sent events to a stream and bounds the memory that a slow reader costs.
 *
 * @example
 * const writer = createEventWriter(stream, 60_000);
 * writer.send('changed', { installationId: '7' });
 * const heartbeat = setInterval(writer.beat, 15_000);
 *
 * @param maxBlockedMs a reader that takes nothing for so long is disconnected by the next beat.
 * @param gap an event that stands for all that a reader misses while it is behind. Default: nothing is missed, all
 * waits.
 */
export function createEventWriter(
  stream: Writable,
  maxBlockedMs: number,
  gap?: string,
): EventWriter {
  const waiting = new Set<string>();
  let blockedSince: number | undefined;

  function write(text: string): void {
    if (stream.writableEnded || stream.destroyed) return;
    if (!stream.write(text)) blockedSince ??= performance.now();
  }

  stream.on('drain', () => {
    blockedSince = undefined;
    for (const text of waiting) {
      if (blockedSince !== undefined) break;
      waiting.delete(text);
      write(text);
    }
  });
  // Sends the headers at once: until then a browser's EventSource counts as connecting.
  write(': connected\n\n');

  function sendText(text: string): void {
    if (blockedSince === undefined) write(text);
    else waiting.add(gap ?? text);
    if (waiting.size > maxWaiting) stream.destroy();
  }

  return {
    sendText,
    send: (event, data) => sendText(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),

    beat() {
      if (blockedSince === undefined) write(': still here\n\n');
      else if (performance.now() - blockedSince > maxBlockedMs) stream.destroy();
    },
  };
}
