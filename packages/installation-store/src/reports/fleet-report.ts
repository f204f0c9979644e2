import type {
  CallGroupsQuery,
  CallsQuery,
  DeliveriesQuery,
  ParkedHooksQuery,
} from '@dowel/admin-api';
import type { Kysely } from 'kysely';
import { readCounts } from '../sql/condition-counts.ts';
import type { Tables } from '../sql/tables.ts';
import { groupCalls, listCalls } from './call-log-report.ts';
import { describeDelivery, listDeliveries, reportRefusals } from './delivery-report.ts';
import { countFleet } from './fleet-counts.ts';
import { describeFleet } from './fleet-detail.ts';
import { countFleetMatches, type FleetListQuery, findFleetPage } from './fleet-page.ts';
import { readFleetRows } from './fleet-rows.ts';
import { listTimeline, type TimelinePage } from './fleet-timeline.ts';
import { listParkedHooks } from './parked-hooks-page.ts';
import { listPluginIds } from './plugin-ids.ts';

/** The reports of one database, for the dashboard's pages about all installations. They contain no secrets. */
export function createFleetReports(db: Kysely<Tables>) {
  return {
    /** `isSearching`: the page is not full, because it looked at too many rows that do not match. @throws StoreError `CURSOR_INVALID`. */
    async listFleet(query: FleetListQuery) {
      const { ids, next, isSearching } = await findFleetPage(db, query);
      return { rows: await readFleetRows(db, ids), next, isSearching };
    },
    /** How many match. Null: only reading every row could tell. */
    countMatches: (query: FleetListQuery) => countFleetMatches(db, query),
    /** In the order of the ids, without those that do not exist. */
    readRows: (ids: readonly string[]) => readFleetRows(db, ids),
    /** Exact. */
    countConditions: () => readCounts(db),
    /** Exact, at `now`. */
    countFleet: (now: number) => countFleet(db, now),
    /** The parked hook deliveries, the latest parked first. @throws StoreError `CURSOR_INVALID`. */
    listParkedHooks: (query: ParkedHooksQuery) => listParkedHooks(db, query),
    /** The log of calls, the latest first. @throws StoreError `CURSOR_INVALID`. */
    listCalls: (query: CallsQuery) => listCalls(db, query),
    /** Failed calls, by reason and by host. */
    groupCalls: (query: CallGroupsQuery) => groupCalls(db, query),
    /** How often each reason was since then. @param from the beginning of an hour: the counts begin with it. */
    reportRefusals: (from: number) => reportRefusals(db, from),
    /** The deliveries of events that match, and refused sessions. @throws StoreError `CURSOR_INVALID`. */
    listDeliveries: (query: DeliveriesQuery) => listDeliveries(db, query),
    /** Undefined: there is none, or it is gone. */
    describeDelivery: (id: string) => describeDelivery(db, id),
    /** The plug-in ids of all installations, at most 50. */
    listPluginIds: () => listPluginIds(db),
    describe: (id: string) => describeFleet(db, id),
    /** Newest first. @throws StoreError `CURSOR_INVALID`. */
    listTimeline: (id: string, page: TimelinePage) => listTimeline(db, id, page),
  };
}
