/** What the dashboard reads: summaries joined in SQL, without a secret column in any select. */
import type { EventRecord, InstallationSummary, TokenOperation } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import type { ReportStore } from './store.ts';
import type { Tables } from './tables.ts';

/** How much history one page shows. */
const historyLimit = 200;

export function createReportStore(db: Kysely<Tables>): ReportStore {
  function selectSummaries() {
    return db
      .selectFrom('installations')
      .leftJoin('grants', 'grants.installation_id', 'installations.id')
      .leftJoin('events', (join) =>
        join.on('events.id', '=', (eb) =>
          eb
            .selectFrom('events as newest')
            .select((sub) => sub.fn.max('newest.id').as('id'))
            .whereRef('newest.installation_id', '=', 'installations.id'),
        ),
      )
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
        sql<number>`grants.refresh_token_sealed is not null`.as('has_refresh_token'),
        'events.id as event_id',
        'events.event',
        'events.received_at',
        'events.duration_ms',
        'events.status as event_status',
        'events.reason as event_reason',
      ])
      .select((eb) =>
        eb
          .selectFrom('instances')
          .select((sub) => sub.fn.countAll<number>().as('count'))
          .whereRef('instances.installation_id', '=', 'installations.id')
          .as('instance_count'),
      );
  }

  type SummaryRow = Awaited<ReturnType<ReturnType<typeof selectSummaries>['execute']>>[number];

  function toSummary(row: SummaryRow): InstallationSummary {
    return {
      id: row.id,
      issuer: row.issuer,
      tenantId: row.tenant_id,
      pluginId: row.plugin_id,
      status: row.status,
      generation: row.generation,
      grantedScopes: row.granted_scopes?.split(' ').filter((scope) => scope !== '') ?? [],
      accessToken:
        row.token_version === null || row.issued_at === null
          ? null
          : { version: row.token_version, issuedAt: row.issued_at, expiresAt: row.expires_at },
      hasRefreshToken: row.has_refresh_token === 1,
      instanceCount: row.instance_count ?? 0,
      createdAt: row.created_at,
      lastEvent: toEventRecord(row),
      lastError:
        row.error_reason === null || row.error_at === null
          ? null
          : { reason: row.error_reason, at: row.error_at },
    };
  }

  async function listEvents(installationId: string): Promise<EventRecord[]> {
    return db
      .selectFrom('events')
      .select([
        'id',
        'event',
        'received_at as receivedAt',
        'duration_ms as durationMs',
        'status',
        'reason',
      ])
      .where('installation_id', '=', installationId)
      .orderBy('id', 'desc')
      .limit(historyLimit)
      .execute();
  }

  async function listTokenOperations(installationId: string): Promise<TokenOperation[]> {
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

  async function listInstanceIds(installationId: string): Promise<string[]> {
    const rows = await db
      .selectFrom('instances')
      .select('instance_id')
      .where('installation_id', '=', installationId)
      .orderBy('instance_id')
      .execute();
    return rows.map((row) => row.instance_id);
  }

  return {
    async listInstallations() {
      const rows = await selectSummaries().orderBy('installations.created_at', 'desc').execute();
      return rows.map(toSummary);
    },

    async describeInstallation(id) {
      const row = await selectSummaries().where('installations.id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      return {
        installation: toSummary(row),
        instanceIds: await listInstanceIds(id),
        events: await listEvents(id),
        tokenOperations: await listTokenOperations(id),
      };
    },
  };
}

function toEventRecord(row: {
  event_id: number | null;
  event: EventRecord['event'] | null;
  received_at: number | null;
  duration_ms: number | null;
  event_status: number | null;
  event_reason: string | null;
}): EventRecord | null {
  if (row.event_id === null || row.event === null) return null;
  return {
    id: row.event_id,
    event: row.event,
    receivedAt: row.received_at ?? 0,
    durationMs: row.duration_ms ?? 0,
    status: row.event_status ?? 0,
    reason: row.event_reason,
  };
}
