/** Server-sent events that tell the dashboard which installation to load again. */
import { PassThrough } from 'node:stream';
import type { Store } from '@dowel/installation-store';
import type { Context } from 'koa';

const heartbeatMs = 15_000;

/** Streams until the client leaves, `lifetimeMs` is over, or the server is closing. */
export function streamChanges(
  ctx: Context,
  store: Store,
  { lifetimeMs, closing }: { lifetimeMs: number; closing: AbortSignal },
): void {
  const stream = new PassThrough();
  const stop = store.onChange((installationId) => {
    stream.write(`event: changed\ndata: ${JSON.stringify({ installationId })}\n\n`);
  });
  const heartbeat = setInterval(() => stream.write(': still here\n\n'), heartbeatMs);
  const end = setTimeout(() => stream.end(), Math.min(lifetimeMs, 2 ** 31 - 1));
  const close = () => stream.end();
  closing.addEventListener('abort', close);
  stream.on('close', () => {
    stop();
    closing.removeEventListener('abort', close);
    clearInterval(heartbeat);
    clearTimeout(end);
  });
  ctx.res.on('close', () => stream.destroy());
  ctx.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  ctx.status = 200;
  ctx.body = stream;
  stream.write(': connected\n\n');
}
