import type { Writable } from 'node:stream';

export interface StreamWriter {
  /** A reader that is behind gets one `gap` instead of what it missed, and loads everything again. */
  send(this: void, text: string): void;
  /** A comment shows every proxy that the connection is in use. */
  beat(this: void): void;
}

/**
 * Writes server-sent events, and keeps none for a slow reader.
 *
 * @param maxBlockedMs a reader that takes nothing for so long is disconnected by the next beat.
 */
export function createStreamWriter(stream: Writable, maxBlockedMs: number): StreamWriter {
  let blockedSince: number | undefined;
  let hasMissed = false;

  function write(text: string): void {
    if (stream.writableEnded || stream.destroyed) return;
    if (!stream.write(text)) blockedSince ??= performance.now();
  }

  stream.on('drain', () => {
    blockedSince = undefined;
    if (hasMissed) write('event: gap\ndata: {}\n\n');
    hasMissed = false;
  });
  // Sends the headers at once: until then a browser's EventSource counts as connecting.
  write(': connected\n\n');

  return {
    send(text) {
      if (blockedSince === undefined) write(text);
      else hasMissed = true;
    },

    beat() {
      if (blockedSince === undefined) write(': still here\n\n');
      else if (performance.now() - blockedSince > maxBlockedMs) stream.destroy();
    },
  };
}
