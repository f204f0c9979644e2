/** The routes of a balancer: `/livez` (the process runs) and `/readyz` (it accepts requests). */
import Router from '@koa/router';
import type { Context } from 'koa';
import { canServe, type DatabaseState } from '../base/database-state.ts';

export interface HealthRoutesOptions {
  /** Aborted when the process begins to stop. */
  closing: AbortController;
  database: DatabaseState;
  /** For how long the process is ready while its database does not answer. */
  withoutDatabaseMs: number;
}

/** Creates the routes, which need no session. */
export function createHealthRoutes(options: HealthRoutesOptions) {
  const router = new Router({ strict: true, sensitive: true });
  router.get('/livez', (ctx) => {
    ctx.body = { isAlive: true };
  });
  router.get('/readyz', (ctx) => showReadiness(options, ctx));
  return router;
}

/** Answers `ready`, `degraded` with the reason, or 503. */
function showReadiness(
  { closing, database, withoutDatabaseMs }: HealthRoutesOptions,
  ctx: Context,
): void {
  const isStopping = closing.signal.aborted;
  const isReady = !isStopping && canServe(database, withoutDatabaseMs);
  const lack = database.lack === 'writes' ? 'database_takes_no_writes' : 'database_unavailable';
  const reason = isStopping ? 'stopping' : database.isAvailable ? undefined : lack;
  const state = isReady ? (reason ? 'degraded' : 'ready') : 'unavailable';
  if (!isReady) ctx.status = 503;
  ctx.body = { isReady, state, ...(reason && { reason }) };
}
