/** Summaries of installations for the dashboard. No select contains a secret column. */
import { type EventRecord, splitScope } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import type { InstallationSummary } from '../installation-reports.ts';
import type { Tables } from '../sql/tables.ts';

export const eventColumns = [
  'id',
  'event',
  'received_at as receivedAt',
  'duration_ms as durationMs',
  'status',
  'reason',
] as const;

/** In the order of the ids. Missing installations are left out. */
export async function readSummaries(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<InstallationSummary[]> {
  if (ids.length === 0) return [];
  const rows = await selectSummaries(db, ids).execute();
  const eventIds = rows.flatMap(({ last_event_id }) => last_event_id ?? []);
  const events = eventIds.length === 0 ? [] : await selectEvents(db, eventIds).execute();
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const summaryOf = new Map(
    rows.map((row) => [row.id, toSummary(row, eventOf.get(row.last_event_id ?? 0) ?? null)]),
  );
  return ids.flatMap((id) => summaryOf.get(id) ?? []);
}

export function selectSummaries(db: Kysely<Tables>, ids: readonly string[]) {
  return db
    .selectFrom('installations')
    .leftJoin('grants', 'grants.installation_id', 'installations.id')
    .select([
      'installations.id',
      'installations.issuer',
      'installations.tenant_id',
      'installations.plugin_id',
      'installations.status',
      'installations.generation',
      'installations.created_at',
      'installations.error_reason',
      'installations.error_at',
      'grants.token_version',
      'grants.granted_scopes',
      'grants.issued_at',
      'grants.expires_at',
      sql<number>`case when grants.refresh_token_sealed is null then 0 else 1 end`.as(
        'has_refresh_token',
      ),
    ])
    .select((eb) => [
      eb
        .selectFrom('events')
        .select((sub) => sub.fn.max('events.id').as('id'))
        .whereRef('events.installation_id', '=', 'installations.id')
        .as('last_event_id'),
      eb
        .selectFrom('instances')
        .select((sub) => sub.fn.countAll<number>().as('count'))
        .whereRef('instances.installation_id', '=', 'installations.id')
        .where('instances.removed', '=', 0)
        .as('instance_count'),
    ])
    .where('installations.id', 'in', ids);
}

/** A separate query: with a join, a planner may read all events instead of a page's. */
export function selectEvents(db: Kysely<Tables>, ids: readonly number[]) {
  return db.selectFrom('events').select(eventColumns).where('id', 'in', ids);
}

type SummaryRow = Awaited<ReturnType<ReturnType<typeof selectSummaries>['execute']>>[number];

function toSummary(row: SummaryRow, lastEvent: EventRecord | null): InstallationSummary {
  return {
    id: row.id,
    issuer: row.issuer,
    tenantId: row.tenant_id,
    pluginId: row.plugin_id,
    status: row.status,
    generation: row.generation,
    grantedScopes: splitScope(row.granted_scopes ?? ''),
    accessToken:
      row.token_version === null || row.issued_at === null
        ? null
        : { version: row.token_version, issuedAt: row.issued_at, expiresAt: row.expires_at },
    hasRefreshToken: row.has_refresh_token === 1,
    instanceCount: row.instance_count ?? 0,
    createdAt: row.created_at,
    lastEvent,
    lastError:
      row.error_reason === null || row.error_at === null
        ? null
        : { reason: row.error_reason, at: row.error_at },
  };
}
