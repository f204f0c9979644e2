/** The routes of runs: one action on many installations. */
import { runRequestSchema } from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { listRuns, type RunsContext, startRun, stopRun } from '../actions/runs.ts';
import { ApiError } from '../errors.ts';
import { readJson } from '../request/read-body.ts';
import { requestOf } from '../request/server-exchange.ts';
import { actorOf } from './action-routes.ts';

/** Register it where a request has an operator whose role was checked. */
export function addRunRoutes(router: Router, context: RunsContext): void {
  router.post('/runs', (ctx) => start(context, ctx));
  router.get('/runs', (ctx) => {
    ctx.body = { runs: listRuns(context) };
  });
  router.get('/runs/:id', (ctx) => {
    const found = context.runs.get(ctx.params.id ?? '');
    if (!found) throw unknownRun();
    ctx.body = found.run;
  });
  router.delete('/runs/:id', async (ctx) => {
    const id = ctx.params.id ?? '';
    if (!context.runs.has(id)) throw unknownRun();
    await stopRun(context, actorOf(ctx), id);
    ctx.body = context.runs.get(id)?.run;
  });
}

async function start(context: RunsContext, ctx: Context): Promise<void> {
  const { ids, ...request } = await readJson(requestOf(ctx, context.logger), runRequestSchema);
  if (!ids) throw new ApiError('BAD_REQUEST', 'Send the ids of the installations');
  const run = await startRun(context, actorOf(ctx), { ...request, ids });
  if (!run) {
    const message = 'A run of this action is under way. Wait for its end, or stop it.';
    throw new ApiError('RUN_UNDER_WAY', message);
  }
  ctx.status = 201;
  ctx.body = run;
}

function unknownRun(): ApiError {
  return new ApiError('NOT_FOUND', 'This process knows no such run. The audit has its actions.');
}
