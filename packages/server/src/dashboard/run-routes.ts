/** The routes of runs: one action on many installations. */
import {
  type Run,
  type RunRequest,
  runListSchema,
  runRequestSchema,
  runSchema,
} from '@dowel/admin-api';
import { type RunsContext, startRun, stopRun } from '../actions/runs.ts';
import { ApiError } from '../base/errors.ts';
import { type AdminRoute, type Call, route } from './admin-route.ts';

const maxPerRun = 200_000;
/** 10,000 ids of 100 characters, each with quotes and a comma, and the rest of the request. */
const maxRequestBytes = 10_000 * 103 + 65_536;

export function listRunRoutes(context: RunsContext): AdminRoute[] {
  return [
    route('POST /runs', {
      role: 'operator',
      summary: 'Do one action to many installations',
      body: runRequestSchema,
      maxBytes: maxRequestBytes,
      status: 201,
      answer: runSchema,
      handle: (call) => start(context, call),
    }),
    route('GET /runs', {
      role: 'viewer',
      summary: 'Runs of the last day',
      answer: runListSchema,
      handle: async () => ({ runs: await context.store.runs.list() }),
    }),
    route('GET /runs/:id', {
      role: 'viewer',
      summary: 'How far a run is',
      answer: runSchema,
      handle: ({ params }) => findRun(context, params.id),
    }),
    route('DELETE /runs/:id', {
      role: 'operator',
      summary: 'Stop a run',
      answer: runSchema,
      async handle({ actor, params }) {
        const { id } = await findRun(context, params.id);
        await stopRun(context, actor, id);
        return findRun(context, id);
      },
    }),
  ];
}

/** @throws ApiError `NOT_FOUND` */
async function findRun({ store }: RunsContext, id: string): Promise<Run> {
  const run = await store.runs.find(id);
  if (run) return run;
  throw new ApiError(
    'NOT_FOUND',
    'There is no such run, or it ended more than a day ago. The audit has its actions.',
  );
}

async function start(
  context: RunsContext,
  { session, actor, body }: Pick<Call<unknown, RunRequest, never>, 'session' | 'actor' | 'body'>,
): Promise<Run> {
  const { ids: given, filter, ...request } = body;
  if ((given === undefined) === (filter === undefined)) {
    throw new ApiError('BAD_REQUEST', 'Send either ids or a filter');
  }
  const run = await startRun(context, actor, {
    ...request,
    accountRevision: session.accountRevision,
    listIds: async () => given ?? listIds(context, filter ?? {}),
  });
  if (run) return run;
  const message = 'A run of this action is under way. Wait for its end, or stop it.';
  throw new ApiError('RUN_UNDER_WAY', message);
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
