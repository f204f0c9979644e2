/** Server-sent events that report changes to the dashboard. */
import { PassThrough } from 'node:stream';
import { createEventWriter, type EventWriter, liveHeaders, systemTimer } from '@dowel/http';
import type { Context } from 'koa';
import { ApiError } from '../base/errors.ts';
import type { ChangeFeed } from './change-feed.ts';

/** A page that receives it reloads everything. */
const gap = 'event: gap\ndata: {}\n\n';
/** Shows a page that its connection works. It hears of events, and of comments it does not. */
const beat = 'event: beat\ndata: {}\n\n';

/** Times in milliseconds. */
export interface StreamTimes {
  heartbeatMs: number;
  /** How soon a stream ends after its session ended on any process. */
  checkMs: number;
  /** A client that reads nothing for this time is disconnected. */
  maxBlockedMs: number;
  /** A client may take this long to read the data sent before the end. */
  endMs: number;
}

export const defaultTimes: StreamTimes = {
  heartbeatMs: 15_000,
  checkMs: 750,
  maxBlockedMs: 60_000,
  endMs: 5_000,
};

export interface ChangeStreamOptions {
  /** Time left until the session's absolute limit. */
  lifetimeMs: number;
  /** Aborting it ends the stream. */
  closing: AbortSignal;
  /** Whether the session is still valid; the check must not extend it. */
  hasSession: () => Promise<boolean>;
  times?: StreamTimes;
}

/**
 * Streams until the client leaves or reads too slowly, its session ends, or the server is closing.
 *
 * @throws ApiError `OVERLOADED` when the server is closing already.
 */
export function streamChanges(
  ctx: Context,
  feed: ChangeFeed,
  { lifetimeMs, closing, hasSession, times = defaultTimes }: ChangeStreamOptions,
): void {
  // Not by a header, which Node warns of over HTTP/2.
  ctx.res.shouldKeepAlive = false;
  if (closing.aborted) {
    throw new ApiError('OVERLOADED', 'The server is stopping', {
      headers: { 'Retry-After': '5' },
    });
  }
  const stream = new PassThrough();
  const writer = createEventWriter(stream, times.maxBlockedMs, gap);
  const end = () => {
    if (stream.writableEnded) return;
    stream.end();
    // A client that has stopped reading would keep the data and the connection open.
    ctx.res.once(
      'close',
      systemTimer.after(times.endMs, () => ctx.res.destroy()),
    );
  };
  const stops = [
    feed.subscribe(writer.sendText, ctx.get('Last-Event-ID') || undefined),
    repeat(times.heartbeatMs, () => sendBeat(stream, writer)),
    repeat(times.checkMs, async () => {
      // If the database is unavailable, the stream goes on; the absolute limit still holds.
      if (!(await hasSession().catch(() => true))) end();
    }),
    onAbort(closing, end),
    systemTimer.after(lifetimeMs, end),
  ];
  stream.on('close', () => {
    for (const stop of stops) stop();
  });
  ctx.res.on('close', () => stream.destroy());
  ctx.set({
    'Content-Type': 'text/event-stream',
    ...liveHeaders('no-store'),
  });
  ctx.status = 200;
  ctx.body = stream;
}

/** A reader that is behind gets no event, and is disconnected if it takes nothing for too long. */
function sendBeat(stream: PassThrough, writer: EventWriter): void {
  if (stream.writableNeedDrain) writer.beat();
  else writer.sendText(beat);
}

/** Runs repeatedly, never twice at once. @returns a function that stops it. */
function repeat(everyMs: number, work: () => void | Promise<void>): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const schedule = () => {
    timer = setTimeout(() => {
      void Promise.resolve(work()).finally(() => {
        if (!isStopped) schedule();
      });
    }, everyMs);
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

function onAbort(signal: AbortSignal, work: () => void): () => void {
  signal.addEventListener('abort', work);
  return () => signal.removeEventListener('abort', work);
}
