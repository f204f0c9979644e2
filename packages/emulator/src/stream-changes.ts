/** `GET /control/changes`: server-sent events that say what to load again. */
import { PassThrough } from 'node:stream';
import type { Context } from 'koa';
import type { Environment } from './environment.ts';

const heartbeatMs = 15_000;

export function streamChanges(
  ctx: Context,
  { changes, closed }: Environment,
  who: { tenantId: string; userId: string },
): void {
  const stream = new PassThrough();
  const unsubscribe = changes.subscribe(who, (change) => {
    stream.write(`event: ${change}\ndata: {}\n\n`);
  });
  const heartbeat = setInterval(() => stream.write(': heartbeat\n\n'), heartbeatMs).unref();
  const end = () => stream.end();
  closed.addEventListener('abort', end, { once: true });
  stream.once('close', () => {
    unsubscribe();
    clearInterval(heartbeat);
    closed.removeEventListener('abort', end);
  });
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'text/event-stream';
  ctx.body = stream;
  // Sends the headers at once: until then a browser's EventSource counts as connecting.
  stream.write(': connected\n\n');
}
