/** The routes of a balancer: `/livez` (the process runs) and `/readyz` (it accepts requests). */
import Router from '@koa/router';
import type { Context } from 'koa';
import type { DatabaseState } from '../base/database-state.ts';

export interface HealthRoutesOptions {
  /** Aborted when the process begins to stop. */
  closing: AbortController;
  database: DatabaseState;
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

function showReadiness({ closing, database }: HealthRoutesOptions, ctx: Context): void {
  const isStopping = closing.signal.aborted;
  if (!isStopping && database.isAvailable) {
    ctx.body = { isReady: true };
    return;
  }
  ctx.status = 503;
  ctx.body = { isReady: false, reason: isStopping ? 'stopping' : 'database_unavailable' };
}
