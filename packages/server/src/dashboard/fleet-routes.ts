/** The API of the dashboard's pages about all installations, under `/admin/api/fleet`, of parked hooks and of refusals; reading only. */
import type { FleetRow, Store } from '@dowel/installation-store';
import {
  type FleetInstallation,
  findRefusalSpan,
  fleetQuerySchema,
  fleetRowsQuerySchema,
  fleetSeriesQuerySchema,
  parkedHooksQuerySchema,
  refusalsQuerySchema,
  stateOf,
  timelineKindSchema,
  timelineQuerySchema,
} from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { purgedAt } from '../actions/purged-at.ts';
import { ApiError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { pathText } from '../request/path-text.ts';
import { readQuery } from '../request/read-query.ts';
import { requestOf } from '../request/server-exchange.ts';
import { prefixOf, type ServedPlugin } from '../served-plugin.ts';
import { planSeries } from './fleet-series.ts';
import { maySeeAddresses } from './operator.ts';
import { sinceOf } from './since.ts';

export interface FleetContext {
  store: Pick<Store, 'reports' | 'samples'>;
  plugins: readonly Pick<ServedPlugin, 'name' | 'manifest'>[];
  pluginName: string;
  /** Without a trailing slash; may have a path. */
  publicUrl: string;
  logger: Pick<Log, 'error'>;
  now: () => number;
}

const maxRows = 100;

/** Register it after the check of the operator's session. */
export function addFleetRoutes(router: Router, context: FleetContext): void {
  router.get('/hooks', (ctx) => listParkedHooks(context, ctx));
  router.get('/refusals', (ctx) => showRefusals(context, ctx));
  router.get('/fleet', (ctx) => showFleet(context, ctx));
  router.get('/fleet/series', (ctx) => showSeries(context, ctx));
  router.get('/fleet/rows', (ctx) => listRows(context, ctx));
  router.get('/fleet/installations', (ctx) => listInstallations(context, ctx));
  router.get('/fleet/installations/:id', (ctx) =>
    showInstallation(context, ctx, pathText(ctx.params.id)),
  );
  router.get('/fleet/installations/:id/timeline', (ctx) =>
    listTimeline(context, ctx, pathText(ctx.params.id)),
  );
}

async function showFleet(context: FleetContext, ctx: Context): Promise<void> {
  const { store, pluginName, plugins, publicUrl } = context;
  const now = context.now();
  const counts = await store.reports.countFleet(now);
  const pluginIds = await store.reports.listPluginIds();
  const manifestUrls = plugins.map((plugin) => `${publicUrl}${prefixOf(plugin)}/manifest.json`);
  const scopes = requestedScopes(plugins);
  ctx.body = { now, pluginName, ...counts, pluginIds, scopes, manifestUrls };
}

async function showSeries(context: FleetContext, ctx: Context): Promise<void> {
  const { store, logger } = context;
  const now = context.now();
  const { span } = readQuery(requestOf(ctx, logger), fleetSeriesQuerySchema);
  const request = planSeries(span, now);
  const { from, stepMs } = request;
  ctx.body = { now, span, from, stepMs, ...(await store.samples.readSeries(request)) };
}

async function listInstallations(context: FleetContext, ctx: Context): Promise<void> {
  const { store, logger } = context;
  const now = context.now();
  const query = { ...readQuery(requestOf(ctx, logger), fleetQuerySchema), now };
  const { rows, next, isSearching } = await store.reports.listFleet(query);
  // Only the first page contains the total.
  const total = query.after === undefined ? await store.reports.countMatches(query) : null;
  ctx.body = { now, installations: withStates(rows, now), next, isSearching, total };
}

async function listRows(context: FleetContext, ctx: Context): Promise<void> {
  const { store, logger } = context;
  const now = context.now();
  const { ids } = readQuery(requestOf(ctx, logger), fleetRowsQuerySchema);
  const wanted = ids.split(',').slice(0, maxRows);
  ctx.body = { now, installations: withStates(await store.reports.readRows(wanted), now) };
}

async function listParkedHooks(context: FleetContext, ctx: Context): Promise<void> {
  const query = readQuery(requestOf(ctx, context.logger), parkedHooksQuerySchema);
  ctx.body = { now: context.now(), ...(await context.store.reports.listParkedHooks(query)) };
}

async function showRefusals(context: FleetContext, ctx: Context): Promise<void> {
  const now = context.now();
  const span = findRefusalSpan(readQuery(requestOf(ctx, context.logger), refusalsQuerySchema), now);
  const { groups, ...report } = await context.store.reports.reportRefusals(span);
  const isShown = maySeeAddresses(ctx);
  const shown = groups.map((each) => (isShown ? each : { ...each, sender: '' }));
  ctx.body = { now, ...span, ...report, groups: shown };
}

async function showInstallation(context: FleetContext, ctx: Context, id: string): Promise<void> {
  const { store, pluginName, plugins } = context;
  const now = context.now();
  const facts = await store.reports.describe(id);
  if (!facts) throw new ApiError('NOT_FOUND', 'There is no such installation');
  const installation = withState(facts.installation, now);
  const plugin = plugins.filter(({ name }) => name === facts.plugin);
  ctx.body = {
    now,
    pluginName,
    installation,
    since: sinceOf(installation, facts),
    token: facts.token,
    scopes: { requested: requestedScopes(plugin), ...facts.scopes },
    outages: facts.outages,
    instanceIds: facts.instanceIds,
    srcForm: facts.srcForm,
    drift: facts.drift,
    notes: facts.notes,
    pause: facts.pause,
    purgedAt: purgedAt(facts),
  };
}

async function listTimeline(context: FleetContext, ctx: Context, id: string): Promise<void> {
  const { store, logger } = context;
  const { kinds = timelineKindSchema.options, ...page } = readQuery(
    requestOf(ctx, logger),
    timelineQuerySchema,
  );
  const timeline = await store.reports.listTimeline(id, { ...page, kinds });
  ctx.body = { now: context.now(), ...timeline };
}

export function withStates(rows: readonly FleetRow[], now: number): FleetInstallation[] {
  return rows.map((row) => withState(row, now));
}

function withState(row: FleetRow, now: number): FleetInstallation {
  return { ...row, state: stateOf(row, now) };
}

function requestedScopes(plugins: readonly Pick<ServedPlugin, 'manifest'>[]): string[] {
  return [...new Set(plugins.flatMap(({ manifest }) => manifest.apiAccess?.client.scope ?? []))];
}
