/** The API of the dashboard's pages about all installations, under `/admin/api/fleet`, of parked hooks and of refusals; reading only. */
import {
  type Fleet,
  type FleetDetail,
  type FleetInstallation,
  type FleetList,
  type FleetQuery,
  fleetDetailSchema,
  fleetListSchema,
  fleetQuerySchema,
  fleetRowsQuerySchema,
  fleetRowsSchema,
  fleetSchema,
  fleetSeriesQuerySchema,
  fleetSeriesSchema,
  hourOf,
  parkedHooksQuerySchema,
  parkedHooksSchema,
  refusalsQuerySchema,
  refusalsSchema,
  stateOf,
  timelineKindSchema,
  timelineQuerySchema,
  timelineSchema,
} from '@dowel/admin-api';
import type { FleetRow, Store } from '@dowel/installation-store';
import { purgedAt } from '../actions/purged-at.ts';
import { ApiError } from '../base/errors.ts';
import { prefixOf, type ServedPlugin } from '../served-plugin.ts';
import { type AdminRoute, route } from './admin-route.ts';
import { asSeenBy } from './call-routes.ts';
import { planSeries } from './fleet-series.ts';
import type { FoundSession } from './operator-session.ts';
import { sinceOf } from './since.ts';

export interface FleetContext {
  store: Pick<Store, 'reports' | 'samples'>;
  plugins: readonly Pick<ServedPlugin, 'name' | 'manifest'>[];
  pluginName: string;
  /** Without a trailing slash; may have a path. */
  publicUrl: string;
  now: () => number;
}

const maxRows = 100;

export function listFleetRoutes(context: FleetContext): AdminRoute[] {
  return [...listRoutesOfAll(context), ...listRoutesOfRows(context)];
}

function listRoutesOfAll(context: FleetContext): AdminRoute[] {
  const { store } = context;
  return [
    route('GET /hooks', {
      role: 'viewer',
      summary: 'Parked deliveries of hooks',
      query: parkedHooksQuerySchema,
      answer: parkedHooksSchema,
      handle: async ({ query }) => ({
        now: context.now(),
        ...(await store.reports.listParkedHooks(query)),
      }),
    }),
    route('GET /refusals', {
      role: 'viewer',
      summary: 'How often each reason refused an event or a session',
      query: refusalsQuerySchema,
      answer: refusalsSchema,
      async handle({ query }) {
        const now = context.now();
        const from = hourOf(now - query.last);
        return { now, from, reasons: await store.reports.reportRefusals(from) };
      },
    }),
    route('GET /fleet', {
      role: 'viewer',
      summary: 'Exact counts of all installations',
      answer: fleetSchema,
      handle: () => showFleet(context),
    }),
    route('GET /fleet/series', {
      role: 'viewer',
      summary: 'Counts and rates over time',
      query: fleetSeriesQuerySchema,
      answer: fleetSeriesSchema,
      async handle({ query: { span } }) {
        const now = context.now();
        const request = planSeries(span, now);
        const { from, stepMs } = request;
        return { now, span, from, stepMs, ...(await store.samples.readSeries(request)) };
      },
    }),
  ];
}

function listRoutesOfRows(context: FleetContext): AdminRoute[] {
  const { store } = context;
  return [
    route('GET /fleet/rows', {
      role: 'viewer',
      summary: 'Rows of the list by their ids',
      query: fleetRowsQuerySchema,
      answer: fleetRowsSchema,
      async handle({ query: { ids } }) {
        const now = context.now();
        const wanted = ids.split(',').slice(0, maxRows);
        return { now, installations: withStates(await store.reports.readRows(wanted), now) };
      },
    }),
    route('GET /fleet/installations', {
      role: 'viewer',
      summary: 'A page of the list',
      query: fleetQuerySchema,
      answer: fleetListSchema,
      handle: ({ query }) => listInstallations(context, query),
    }),
    route('GET /fleet/installations/:id', {
      role: 'viewer',
      summary: 'One installation',
      answer: fleetDetailSchema,
      handle: ({ session, params }) => showInstallation(context, session, params.id),
    }),
    route('GET /fleet/installations/:id/timeline', {
      role: 'viewer',
      summary: 'What happened to an installation, the newest first',
      query: timelineQuerySchema,
      answer: timelineSchema,
      async handle({ params: { id }, query: { kinds = timelineKindSchema.options, ...page } }) {
        const timeline = await store.reports.listTimeline(id, { ...page, kinds });
        return { now: context.now(), ...timeline };
      },
    }),
  ];
}

async function showFleet(context: FleetContext): Promise<Fleet> {
  const { store, pluginName, plugins, publicUrl } = context;
  const now = context.now();
  const counts = await store.reports.countFleet(now);
  const pluginIds = await store.reports.listPluginIds();
  const manifestUrls = plugins.map((plugin) => `${publicUrl}${prefixOf(plugin)}/manifest.json`);
  const scopes = requestedScopes(plugins);
  return { now, pluginName, ...counts, pluginIds, scopes, manifestUrls };
}

async function listInstallations(context: FleetContext, given: FleetQuery): Promise<FleetList> {
  const { store } = context;
  const now = context.now();
  const query = { ...given, now };
  const { rows, next, isSearching } = await store.reports.listFleet(query);
  // Only the first page contains the total.
  const total = query.after === undefined ? await store.reports.countMatches(query) : null;
  return { now, installations: withStates(rows, now), next, isSearching, total };
}

async function showInstallation(
  context: FleetContext,
  session: Pick<FoundSession, 'role'>,
  id: string,
): Promise<FleetDetail> {
  const { store, pluginName, plugins } = context;
  const now = context.now();
  const facts = await store.reports.describe(id);
  if (!facts) throw new ApiError('NOT_FOUND', 'There is no such installation');
  const installation = withState(facts.installation, now);
  const plugin = plugins.filter(({ name }) => name === facts.plugin);
  return {
    now,
    pluginName,
    installation,
    since: sinceOf(installation, facts),
    token: facts.token,
    scopes: { requested: requestedScopes(plugin), ...facts.scopes },
    failedCall: facts.failedCall && asSeenBy(session, facts.failedCall),
    outages: facts.outages,
    instanceIds: facts.instanceIds,
    srcForm: facts.srcForm,
    drift: facts.drift,
    clockSkew: facts.clockSkew,
    notes: facts.notes,
    pause: facts.pause,
    hooksParkedSince: facts.hooksParkedSince,
    purgedAt: purgedAt(facts),
  };
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
