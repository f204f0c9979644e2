/** The reports of the dashboard's pages about all installations. */
import type { FleetReports } from '../fleet-reports.ts';
import { readCounts } from '../sql/condition-counts.ts';
import type { Database } from '../sql/database.ts';
import { countFleet } from './fleet-counts.ts';
import { describeFleet } from './fleet-detail.ts';
import { countFleetMatches, findFleetPage } from './fleet-page.ts';
import { readFleetRows } from './fleet-rows.ts';
import { listPluginIds } from './fleet-search.ts';
import { listTimeline } from './fleet-timeline.ts';
import { listParkedHooks } from './parked-hooks-page.ts';
import { reportRefusals } from './refusal-report.ts';

/** Creates the fleet reports of one database. See {@link FleetReports}. */
export function createFleetReports(context: Pick<Database, 'db' | 'textIndex'>): FleetReports {
  const { db } = context;
  return {
    async listFleet(query) {
      const { ids, next, isSearching } = await findFleetPage(context, query);
      return { rows: await readFleetRows(db, ids), next, isSearching };
    },
    countMatches: (query) => countFleetMatches(context, query),
    readRows: (ids) => readFleetRows(db, ids),
    countConditions: () => readCounts(db),
    countFleet: (now) => countFleet(db, now),
    listParkedHooks: (query) => listParkedHooks(db, query),
    reportRefusals: (span) => reportRefusals(db, span),
    listPluginIds: () => listPluginIds(db),
    describe: (id) => describeFleet(db, id),
    listTimeline: (id, page) => listTimeline(db, id, page),
  };
}
