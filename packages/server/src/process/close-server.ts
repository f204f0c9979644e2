/** Ends a server. Work that has begun is finished first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForQuiet } from '@dowel/http';
import { assertMilliseconds } from '@dowel/schema';
import type { App } from '../app/create-app.ts';
import { assertNames } from '../base/option-shapes.ts';
import { beginDraining, cutAnswers, untilAnswered, untilQuiet } from '../http/node-handler.ts';
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
  graceMs = opened.configuration.limits.stopGraceMs,
): Promise<void> {
  opened.app.announceStop();
  if (!(await endsWithin(graceMs, endWork(context, opened, graceMs)))) cutAnswers(context.handler);
}

async function endWork(
  { handler, stopListening }: ServerContext,
  { app, background, configuration }: Opened,
  graceMs: number,
): Promise<void> {
  // The listener of `start` is closed. A host's still accepts what its balancer sends, if it was ever used.
  const isMounted = stopListening === undefined && handler.acceptedAt > 0;
  const listenMs = isMounted ? Math.min(configuration.limits.listenAfterCloseMs, graceMs) : 0;
  const calm = Promise.all([background.stop(graceMs), sleep(listenMs)])
    .then(() => waitForQuiet(handler))
    // Only then: requests have come while the others were waited for.
    .then(() => untilAnswered(handler));
  await endWaitsUntil(calm, app, listenMs + waitForTokensMs);
  // Not earlier: a request under way may still wait for a token.
  await app.drain();
}

/** Whether the work ends in this time. Its error is one of this function, if it comes in time. */
async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(late.resolve, ms, false);
  const ended = work.then(() => true);
  // The caller of `close` still receives the error.
  ended.catch(() => undefined);
  return Promise.race([ended, late.promise]).finally(() => clearTimeout(timer));
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
    if (context.handler.isOpening) context.log.info('server.stopped');
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
  // control P3
  opened?.app.announceStop();
  if (context.stopListening) await endListener(context, context.stopListening);
  await drainServer(context);
  // A host sends requests until its own server is closed. The last one ends before the database is closed.
  if (opened) await endsWithin(opened.configuration.limits.stopGraceMs, untilQuiet(handler));
  handler.handle = undefined;
  cutAnswers(handler);
  context.opened = undefined;
  // A drain that ended by its time has left renewals under way.
  await opened?.app.endWaits();
  try {
    await opened?.store.close();
  } finally {
    await opened?.metricsServer?.stop();
  }
}

/** The server of `start` still answers while it listens: a balancer needs time to stop sending requests. */
async function endListener({ opened }: ServerContext, stopListening: () => Promise<void>) {
  if (!opened) return stopListening();
  const { app, background, configuration } = opened;
  const ended = Promise.all([background.stop(configuration.limits.stopGraceMs), stopListening()]);
  await endWaitsUntil(ended, app, configuration.limits.listenAfterCloseMs + waitForTokensMs);
}
