/** The rows of a page. No select contains a secret column. */
import type { FleetInstallation } from '@dowel/admin-api';
import { hostOf } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import { type CallEvidence, readEvidence } from '../sql/call-evidence.ts';
import { otherAddressId } from '../sql/other-address.ts';
import type { Tables } from '../sql/tables.ts';

/** A row of the list, without the members that depend on the time. */
export type FleetRow = Omit<FleetInstallation, 'state'>;

/** In the order of the ids. Missing installations are left out. */
export async function readFleetRows(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<FleetRow[]> {
  if (ids.length === 0) return [];
  const rows = await selectFleetRows(db, ids).execute();
  const calls = await readEvidence(db, ids);
  const rowOf = new Map(rows.map((row) => [row.id, toFleetRow(row, calls.get(row.id))]));
  return ids.flatMap((id) => rowOf.get(id) ?? []);
}

function selectFleetRows(db: Kysely<Tables>, ids: readonly string[]) {
  return db
    .selectFrom('installations')
    .leftJoin('grants', 'grants.installation_id', 'installations.id')
    .leftJoin('installations as address', (join) => join.on('address.id', '=', otherAddressId))
    .select([
      'installations.id',
      'installations.name',
      'installations.issuer',
      'installations.tenant_id as tenantId',
      'installations.plugin_id as pluginId',
      'installations.generation',
      'installations.condition',
      'installations.cause',
      'installations.unhealthy_since as accessEndsAt',
      'installations.created_at as beganAt',
      'installations.token_expires_at as tokenExpiresAt',
      'installations.last_event_at as lastEventAt',
      'installations.error_reason',
      'installations.error_at',
      'installations.triggers',
      'installations.status',
      'installations.applied_iat',
      'address.id as addressId',
      'address.issuer as addressIssuer',
      'address.applied_iat as addressIat',
      'grants.trigger_url',
      'grants.failures',
      'grants.next_refresh_at',
      'grants.failing_since',
      sql<number | null>`coalesce(installations.heal_at, installations.next_trigger_at)`.as(
        'trigger_at',
      ),
    ])
    .select((eb) =>
      eb
        .selectFrom('hook_deliveries')
        .select((sub) => sub.fn.countAll<number>().as('n'))
        .whereRef('hook_deliveries.installation_id', '=', 'installations.id')
        .where('state', '=', sql.lit('parked'))
        .as('parked_hooks'),
    )
    .where('installations.id', 'in', ids);
}

type SelectedRow = Awaited<ReturnType<ReturnType<typeof selectFleetRows>['execute']>>[number];

function toFleetRow(row: SelectedRow, calls: CallEvidence | undefined): FleetRow {
  const { error_reason: reason, error_at: at } = row;
  const condition = row.condition ?? 'pending';
  return {
    id: row.id,
    name: row.name,
    host: hostOf(row.issuer),
    issuer: row.issuer,
    tenantId: row.tenantId,
    pluginId: row.pluginId,
    generation: row.generation,
    condition,
    cause: row.cause,
    accessEndsAt: row.accessEndsAt,
    failingSince: condition === 'failing' ? row.failing_since : null,
    calls: calls ?? null,
    nextAttempt: nextAttemptOf(row),
    tries: (condition === 'failing' ? row.failures : row.triggers) ?? 0,
    canAsk: row.trigger_url !== null,
    beganAt: row.beganAt,
    tokenExpiresAt: row.tokenExpiresAt,
    lastEventAt: row.lastEventAt,
    lastFailure: reason === null || at === null ? null : { reason, at },
    parkedHooks: row.parked_hooks ?? 0,
    otherAddress: otherAddressOf(row),
  };
}

/** A life that has ended has no other address. */
function otherAddressOf(row: SelectedRow): FleetRow['otherAddress'] {
  const { status, applied_iat: iat, addressId: id, addressIssuer: issuer, addressIat } = row;
  if (status === 'uninstalled' || id === null || issuer === null) return null;
  return { id, host: hostOf(issuer), isNewer: (addressIat ?? 0) > (iat ?? 0) };
}

/** The next attempt that is planned in the database. A healthy installation has none, because a call refreshes it. */
function nextAttemptOf(row: SelectedRow): FleetRow['nextAttempt'] {
  if (row.condition === 'failing') return planned('refresh', row.next_refresh_at);
  if (row.condition === 'pending') return planned('trigger', row.trigger_at);
  // Without a trigger no event can be requested, so nothing is planned.
  const canAsk = row.condition === 'awaiting' && row.trigger_url !== null;
  return canAsk ? planned('trigger', row.trigger_at) : null;
}

function planned(what: 'refresh' | 'trigger', at: number | null): FleetRow['nextAttempt'] {
  return at === null ? null : { what, at };
}
