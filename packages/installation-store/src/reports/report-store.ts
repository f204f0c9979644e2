/** The dashboard's data. No select contains a secret column. */
import type { EventRecord, TokenOperation } from '@dowel/schema';
import type { Kysely } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import type { ReportStore } from '../store.ts';
import { createFleetReports } from './fleet-report.ts';
import { listInstanceIds } from './list-instance-ids.ts';
import { findPage } from './report-page.ts';
import { eventColumns, readSummaries } from './report-summary.ts';

/** Entries of a history on one page. */
const historyLimit = 200;

/** Creates the report store of one database. See {@link ReportStore}. */
export function createReportStore(context: Pick<Database, 'db' | 'textIndex'>): ReportStore {
  const { db } = context;
  return {
    ...createFleetReports(context),

    async listInstallations(query) {
      const { ids, next } = await findPage(db, query);
      return { installations: await readSummaries(db, ids), next };
    },

    async describeInstallation(id) {
      // No id contains NUL, and PostgreSQL refuses such a query.
      if (id.includes('\0')) return undefined;
      const [installation] = await readSummaries(db, [id]);
      if (!installation) return undefined;
      return {
        installation,
        instanceIds: await listInstanceIds(db, id),
        events: await listEvents(db, id),
        tokenOperations: await listTokenOperations(db, id),
      };
    },
  };
}

function listEvents(db: Kysely<Tables>, installationId: string): Promise<EventRecord[]> {
  return db
    .selectFrom('events')
    .select(eventColumns)
    .where('installation_id', '=', installationId)
    .orderBy('id', 'desc')
    .limit(historyLimit)
    .execute();
}

async function listTokenOperations(
  db: Kysely<Tables>,
  installationId: string,
): Promise<TokenOperation[]> {
  const rows = await db
    .selectFrom('token_operations')
    .select([
      'id',
      'operation',
      'started_at as startedAt',
      'duration_ms as durationMs',
      'succeeded',
      'token_version as tokenVersion',
      'reason',
    ])
    .where('installation_id', '=', installationId)
    .orderBy('id', 'desc')
    .limit(historyLimit)
    .execute();
  return rows.map((row) => ({ ...row, succeeded: row.succeeded === 1 }));
}
