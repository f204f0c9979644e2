/** The routes of runs: one action on many installations. */
import { type Run, type RunRequest, runRequestSchema } from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { type RunsContext, startRun, stopRun } from '../actions/runs.ts';
import { ApiError } from '../errors.ts';
import { pathText } from '../request/path-text.ts';
import { readJson } from '../request/read-body.ts';
import { requestOf } from '../request/server-exchange.ts';
import { actorOf } from './action-routes.ts';
import { operatorOf } from './operator.ts';

const maxPerRun = 200_000;
/** 10,000 ids of 100 characters, each with quotes and a comma, and the rest of the request. */
const maxRequestBytes = 10_000 * 103 + 65_536;

/** Register it where a request has an operator. Start and stop check the role themselves: the audit has their refusals. */
export function addRunRoutes(router: Router, context: RunsContext): void {
  router.post('/runs', (ctx) => start(context, ctx));
  router.get('/runs', async (ctx) => {
    ctx.body = { runs: await context.store.runs.list() };
  });
  router.get('/runs/:id', async (ctx) => {
    ctx.body = await findRun(context, ctx);
  });
  router.delete('/runs/:id', async (ctx) => {
    const { id } = await findRun(context, ctx);
    await stopRun(context, actorOf(ctx), id);
    ctx.body = await findRun(context, ctx);
  });
}

/** @throws ApiError `NOT_FOUND` */
async function findRun({ store }: RunsContext, ctx: Context): Promise<Run> {
  const run = await store.runs.find(pathText(ctx.params.id));
  if (run) return run;
  throw new ApiError(
    'NOT_FOUND',
    'There is no such run, or it ended more than a day ago. The audit has its actions.',
  );
}

async function start(context: RunsContext, ctx: Context): Promise<void> {
  const {
    ids: given,
    filter,
    ...request
  } = await readJson(requestOf(ctx, context.logger), runRequestSchema, maxRequestBytes);
  if ((given === undefined) === (filter === undefined)) {
    throw new ApiError('BAD_REQUEST', 'Send either ids or a filter');
  }
  const run = await startRun(context, actorOf(ctx), {
    ...request,
    accountRevision: operatorOf(ctx).accountRevision,
    listIds: async () => given ?? listIds(context, filter ?? {}),
  });
  if (!run) {
    const message = 'A run of this action is under way. Wait for its end, or stop it.';
    throw new ApiError('RUN_UNDER_WAY', message);
  }
  ctx.status = 201;
  ctx.body = run;
}

/** The installations that match now, in the list's order. @throws ApiError `BAD_REQUEST` for too many. */
async function listIds(
  context: RunsContext,
  filter: NonNullable<RunRequest['filter']>,
): Promise<string[]> {
  const { store } = context;
  const now = context.now();
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const query = { ...filter, now, limit: 200, sort: 'host' as const, ...(after && { after }) };
    const { rows, next } = await store.reports.listFleet(query);
    ids.push(...rows.map(({ id }) => id));
    if (ids.length > maxPerRun) {
      throw new ApiError('BAD_REQUEST', `More than ${maxPerRun} match: narrow the filter`);
    }
    after = next ?? undefined;
  } while (after !== undefined);
  return ids;
}
