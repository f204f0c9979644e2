/** The reports of the dashboard's pages about all installations. */
import type { Kysely } from 'kysely';
import type { FleetReports } from '../fleet-reports.ts';
import { readCounts } from '../sql/condition-counts.ts';
import type { Tables } from '../sql/tables.ts';
import { countFleet } from './fleet-counts.ts';
import { describeFleet } from './fleet-detail.ts';
import { countFleetMatches, findFleetPage } from './fleet-page.ts';
import { readFleetRows } from './fleet-rows.ts';
import { listTimeline } from './fleet-timeline.ts';
import { listParkedHooks } from './parked-hooks-page.ts';
import { listPluginIds } from './plugin-ids.ts';
import { reportRefusals } from './refusal-report.ts';

/** Creates the fleet reports of one database. See {@link FleetReports}. */
export function createFleetReports(db: Kysely<Tables>): FleetReports {
  return {
    async listFleet(query) {
      const { ids, next, isSearching } = await findFleetPage(db, query);
      return { rows: await readFleetRows(db, ids), next, isSearching };
    },
    countMatches: (query) => countFleetMatches(db, query),
    readRows: (ids) => readFleetRows(db, ids),
    countConditions: () => readCounts(db),
    countFleet: (now) => countFleet(db, now),
    listParkedHooks: (query) => listParkedHooks(db, query),
    reportRefusals: (from) => reportRefusals(db, from),
    listPluginIds: () => listPluginIds(db),
    describe: (id) => describeFleet(db, id),
    listTimeline: (id, page) => listTimeline(db, id, page),
  };
}
