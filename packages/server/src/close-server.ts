/** Ends a server. Work that has begun is finished first. */
import { assertMilliseconds } from '@dowel/schema';
import type { App } from './create-app.ts';
import { beginDraining, cutAnswers, untilQuiet } from './http/node-handler.ts';
import { assertNames } from './option-shapes.ts';
import type { Opened, ServerContext } from './server-context.ts';

/** How long requests may wait for tokens after the server has stopped listening. Renewals under way have more time. */
const waitForTokensMs = 2_000;

/** @throws TypeError */
export function readGrace(options: { graceMs?: number } = {}): number | undefined {
  assertNames('', options, { graceMs: true }, 'drain');
  const { graceMs } = options;
  if (graceMs !== undefined) assertMilliseconds(graceMs, 'The graceMs of drain');
  return graceMs;
}

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
  const ended = endWork(context, opened, graceMs);
  // The caller of `close` still receives the error.
  ended.catch(() => undefined);
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, graceMs);
  await Promise.race([ended, late.promise]).finally(() => clearTimeout(timer));
  cutAnswers(context.handler);
}

async function endWork(
  { handler }: ServerContext,
  { app, background }: Opened,
  graceMs: number,
): Promise<void> {
  const quiet = Promise.all([background.stop(graceMs), untilQuiet(handler)]);
  await endWaitsUntil(quiet, app, waitForTokensMs);
  // Not earlier: a request under way may still wait for a token.
  await app.drain();
}

/**
 * Requests that wait for the tokens of a tenant that has none would keep the process until they are cut. So after
 * `afterMs` they are answered.
 */
async function endWaitsUntil(ended: Promise<unknown>, app: App, afterMs: number): Promise<void> {
  const timer = setTimeout(() => void app.endWaits(), afterMs);
  await ended.finally(() => clearTimeout(timer));
}

export function closeServer(context: ServerContext): Promise<void> {
  context.closing ??= closeAndTell(context);
  return context.closing;
}

/** A program may end as soon as the server is closed, so the log has a failure before. */
async function closeAndTell(context: ServerContext): Promise<void> {
  try {
    await closeOnce(context);
  } catch (err) {
    context.log.error({ err }, 'server.close_failed');
    throw err;
  } finally {
    context.endReports();
    context.closed.resolve();
  }
}

async function closeOnce(context: ServerContext): Promise<void> {
  const { ending, opening, handler } = context;
  ending.abort();
  await opening?.catch(() => undefined);
  const { opened } = context;
  opened?.app.announceStop();
  // It still answers while it listens: a balancer needs time to stop sending requests.
  const ended = Promise.all([
    opened?.background.stop(opened.configuration.stopGraceMs),
    context.stopListening?.(),
  ]);
  if (opened) {
    const { app, configuration } = opened;
    await endWaitsUntil(ended, app, configuration.drainMs + waitForTokensMs);
  }
  await ended;
  await drainServer(context);
  handler.handle = undefined;
  context.opened = undefined;
  // A drain that ended by its time has left renewals under way.
  await opened?.app.endWaits();
  await opened?.store.close();
}
