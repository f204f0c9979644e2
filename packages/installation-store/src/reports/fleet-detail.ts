/** One installation in full. No select contains a secret column. */
import type { FleetDetail, Outage } from '@dowel/admin-api';
import { renewsFrom, splitScope } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { findClockSkew } from './delivery-report.ts';
import { listDrift } from './event-details.ts';
import { type FleetRow, readFleetRows } from './fleet-rows.ts';

export type FleetFacts = Pick<
  FleetDetail,
  | 'token'
  | 'failedCall'
  | 'outages'
  | 'instanceIds'
  | 'srcForm'
  | 'drift'
  | 'clockSkew'
  | 'notes'
  | 'pause'
  | 'hooksParkedSince'
> & {
  installation: FleetRow;
  /** The back end's name of the plug-in; '' for the only one. */
  plugin: string;
  scopes: Omit<FleetDetail['scopes'], 'requested'>;
  /** When it was uninstalled; null while it lives. */
  endedAt: number | null;
  /** An operator keeps the record until then; null: no longer than others. */
  keptUntil: number | null;
};

const maxOutages = 50;

export async function describeFleet(
  db: Kysely<Tables>,
  id: string,
): Promise<FleetFacts | undefined> {
  // No id contains NUL, and PostgreSQL refuses such a query.
  if (id.includes('\0')) return undefined;
  const [installation] = await readFleetRows(db, [id]);
  const facts = await readFacts(db, id);
  if (!installation || !facts) return undefined;
  return {
    installation,
    plugin: facts.plugin,
    token: tokenOf(facts),
    scopes: {
      granted: splitScope(facts.granted_scopes ?? ''),
      at: facts.scopes_at,
      endedAt: facts.ended_at,
    },
    failedCall: installation.condition === 'calls_failing' ? await findFailedCall(db, id) : null,
    outages: await listOutages(db, id),
    instanceIds: await listInstanceIds(db, id),
    srcForm: facts.src_form,
    drift: await listDrift(db, id),
    clockSkew: await findClockSkew(db, id),
    notes: facts.notes,
    pause: pauseOf(facts),
    hooksParkedSince: facts.hooks_parked_since,
    endedAt: facts.ended_at,
    keptUntil: facts.kept_until,
  };
}

function readFacts(db: Kysely<Tables>, id: string) {
  return db
    .selectFrom('installations')
    .leftJoin('grants', 'grants.installation_id', 'installations.id')
    .select([
      'installations.plugin',
      'installations.granted_scopes',
      'installations.scopes_at',
      'installations.token_expires_at',
      'installations.ended_at',
      'installations.kept_until',
      'installations.notes',
      'installations.src_form',
      'installations.paused_at',
      'installations.paused_by',
      'installations.pause_reason',
      'grants.token_version',
      'grants.issued_at',
      sql<number>`case when grants.refresh_token_sealed is null then 0 else 1 end`.as(
        'has_refresh_token',
      ),
    ])
    .select((eb) =>
      eb
        .selectFrom('hook_deliveries')
        .select(sql<number | null>`min(coalesce(settled_at, occurred_at))`.as('at'))
        .whereRef('hook_deliveries.installation_id', '=', 'installations.id')
        .where('state', '=', sql.lit('parked'))
        .as('hooks_parked_since'),
    )
    .where('installations.id', '=', id)
    .executeTakeFirst();
}

type Facts = NonNullable<Awaited<ReturnType<typeof readFacts>>>;

function pauseOf({ paused_at: at, paused_by: by, pause_reason: reason }: Facts) {
  return at === null ? null : { at, by: by ?? '', reason: reason ?? '' };
}

function tokenOf(facts: Facts): FleetFacts['token'] {
  const { token_version: version, issued_at: issuedAt, token_expires_at: expiresAt } = facts;
  if (version === null || issuedAt === null) return null;
  return {
    version,
    issuedAt,
    expiresAt,
    renewsFrom: expiresAt === null ? null : renewsFrom({ issuedAt, expiresAt }),
    hasRefreshToken: facts.has_refresh_token === 1,
  };
}

/** What the author of the plug-in asked wrongly does not count. */
async function findFailedCall(db: Kysely<Tables>, id: string): Promise<FleetDetail['failedCall']> {
  const found = await db
    .selectFrom('call_log')
    .select(['at', 'method', 'path', 'status', 'fault', 'answer'])
    .where('installation_id', '=', id)
    .where('reason', '<>', 'platform_4xx')
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

function listOutages(db: Kysely<Tables>, id: string): Promise<Outage[]> {
  return db
    .selectFrom('outages')
    .select([
      'id',
      'generation',
      sql<string>`coalesce(cause, 'unknown')`.as('cause'),
      'began_at as beganAt',
      sql<number>`coalesce(access_ends_at, began_at)`.as('accessEndsAt'),
      'ended_at as endedAt',
      'ended_by as endedBy',
    ])
    .where('installation_id', '=', id)
    .orderBy('id', 'desc')
    .limit(maxOutages)
    .execute();
}

/** The placed instances of an installation. */
async function listInstanceIds(db: Kysely<Tables>, installationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('instances')
    .select('instance_id')
    .where('installation_id', '=', installationId)
    .where('removed', '=', 0)
    .orderBy('instance_id')
    .execute();
  return rows.map((row) => row.instance_id);
}
