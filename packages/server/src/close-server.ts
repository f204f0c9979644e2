/** Ends a server. Work that has begun is finished first. */
import { beginDraining, cutAnswers, untilQuiet } from './http/node-handler.ts';
import type { Opened, ServerContext } from './server-context.ts';

/** A second call waits for the first one. Requests and work under way are not cut before `graceMs`. */
export async function drainServer(context: ServerContext, graceMs?: number): Promise<void> {
  beginDraining(context.handler);
  const { opened } = context;
  // If the server opens after this, `close` drains it.
  if (!opened) return;
  context.draining ??= drainOnce(context, opened, graceMs);
  await context.draining;
}

async function drainOnce(
  context: ServerContext,
  opened: Opened,
  graceMs = opened.configuration.stopGraceMs,
): Promise<void> {
  opened.app.announceStop();
  const ended = endWork(context, opened);
  // The caller of `close` still receives the error.
  ended.catch(() => undefined);
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, graceMs);
  await Promise.race([ended, late.promise]).finally(() => clearTimeout(timer));
  cutAnswers(context.handler);
}

async function endWork({ handler }: ServerContext, { app, background }: Opened): Promise<void> {
  await Promise.all([background.stop(), untilQuiet(handler)]);
  // Not earlier: a request under way may still wait for a token.
  await app.drain();
}

export function closeServer(context: ServerContext): Promise<void> {
  context.closing ??= closeOnce(context).finally(context.closed.resolve);
  return context.closing;
}

async function closeOnce(context: ServerContext): Promise<void> {
  const { ending, opening, handler } = context;
  ending.abort();
  await opening?.catch(() => undefined);
  const { opened } = context;
  opened?.app.announceStop();
  // It still answers while it listens: a balancer needs time to stop sending requests.
  await Promise.all([opened?.background.stop(), context.stopListening?.()]);
  await drainServer(context);
  handler.mounted = undefined;
  context.opened = undefined;
  await opened?.store.close();
  context.reportSuppressed();
}
