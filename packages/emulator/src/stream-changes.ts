/** `GET /control/changes`: server-sent events that name the data to load again. */
import { PassThrough } from 'node:stream';
import { createEventWriter, liveHeaders } from '@dowel/http';
import type { Context } from 'koa';
import type { Environment } from './environment.ts';

const heartbeatMs = 15_000;
/** A client that reads nothing for this time is disconnected. */
const maxBlockedMs = 60_000;

export function streamChanges(
  ctx: Context,
  { changes, closed }: Environment,
  who: { tenantId: string; userId: string },
): void {
  const stream = new PassThrough();
  const writer = createEventWriter(stream, maxBlockedMs);
  const unsubscribe = changes.subscribe(who, (change) => {
    writer.send(change, {});
  });
  const heartbeat = setInterval(writer.beat, heartbeatMs).unref();
  const end = () => stream.end();
  closed.addEventListener('abort', end, { once: true });
  stream.once('close', () => {
    unsubscribe();
    clearInterval(heartbeat);
    closed.removeEventListener('abort', end);
  });
  ctx.set(liveHeaders('no-store'));
  ctx.type = 'text/event-stream';
  ctx.body = stream;
}
