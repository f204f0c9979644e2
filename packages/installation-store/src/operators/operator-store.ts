/** What operators change of one installation. */
import { type Kysely, sql } from 'kysely';
import type { ErasedUser, OperatedInstallation, OperatorStore } from '../operator-store.ts';
import { purgeTombstone } from '../retention/maintenance-tombstones.ts';
import { type Database, lockInstallation } from '../sql/database.ts';
import { isOtherNewer } from '../sql/other-address.ts';
import { searchTextOf } from '../sql/search-text.ts';
import type { Tables } from '../sql/tables.ts';
import { settleCondition } from '../stores/condition.ts';
import { beginPause, endPause } from '../stores/set-pause.ts';
import type { StoreContext } from '../stores/store-context.ts';

type Context = Pick<
  StoreContext,
  'db' | 'now' | 'locksRows' | 'keyring' | 'changed' | 'tokensChanged' | 'erased'
>;

/** The changes of one database's operators. Its methods throw what the database throws. */
export function createOperatorStore(context: Context): OperatorStore {
  return {
    find: (id) => findOperated(context, id),
    pause: (id, pause) => beginPause(context, id, pause),
    resume: (id) => endPause(context, id),
    endSessions: (id, now) => endSessions(context, id, now),
    keepUntil: (id, until) => keepUntil(context, id, until),
    purge: (id, endedForMs) => purgeTombstone(context, { id, endedForMs }),
    describe: (id, description) => describeInstallation(context, id, description),
    acknowledge: (id, generation) => acknowledge(context, id, generation),
    eraseUser: (user) => eraseUser(context, user),
    fingerprintOf: (userId) => context.keyring.authenticate(userId, 'erased user'),
  };
}

async function findOperated(
  { db }: Pick<Database, 'db'>,
  id: string,
): Promise<OperatedInstallation | undefined> {
  const row = await db
    .selectFrom('installations')
    .leftJoin('grants', 'grants.installation_id', 'installations.id')
    .select([
      'installations.id',
      'installations.issuer',
      'installations.name',
      'installations.notes',
      'installations.status',
      'installations.generation',
      'installations.usable_generation',
      'installations.applied_iat',
      'installations.error_reason',
      'installations.paused_at',
      'installations.paused_by',
      'installations.pause_reason',
      'installations.ended_at',
      'installations.kept_until',
      'installations.acknowledged_generation',
      'grants.token_version',
      'grants.expires_at',
      sql<number>`case when grants.refresh_token_sealed is null then 0 else 1 end`.as('renewable'),
    ])
    .select(isOtherNewer.as('newer'))
    .where('installations.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { issuer, name, notes, status, generation, token_version: version } = row;
  const isUninstalled = status === 'uninstalled';
  return {
    id,
    issuer,
    name,
    notes,
    status,
    generation,
    pause:
      row.paused_at === null
        ? null
        : { at: row.paused_at, by: row.paused_by ?? '', reason: row.pause_reason ?? '' },
    hasNewerAddress: row.newer === 1,
    endedAt: row.ended_at,
    keptUntil: row.kept_until,
    isInstallRefused:
      isUninstalled && row.error_reason !== null && row.usable_generation < generation,
    isAcknowledged: row.acknowledged_generation === generation,
    token:
      version === null
        ? null
        : { version, expiresAt: row.expires_at, hasRefreshToken: row.renewable === 1 },
  };
}

async function endSessions(context: Context, id: string, now: number): Promise<number> {
  const { db, changed } = context;
  // No session opens meanwhile.
  await lockInstallation(context, id);
  const { numUpdatedRows } = await db
    .updateTable('plugin_sessions')
    // The rows are kept, because they record which init JWTs were used. No life has the number 0.
    .set({ generation: 0, claims_sealed: null })
    .where('installation_id', '=', id)
    .where('generation', '>', 0)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  changed(id);
  return Number(numUpdatedRows);
}

async function keepUntil({ db, changed }: Context, id: string, until: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installations')
    .set({ kept_until: until })
    .where('id', '=', id)
    .where('status', '=', 'uninstalled')
    .where((eb) => eb.or([eb('kept_until', 'is', null), eb('kept_until', '!=', until)]))
    .executeTakeFirst();
  changed(id);
  return numUpdatedRows > 0n;
}

async function describeInstallation(
  context: Context,
  id: string,
  { name, notes }: { name?: string; notes?: string },
): Promise<boolean> {
  const { db, changed } = context;
  const { numUpdatedRows } = await db
    .updateTable('installations')
    .set({
      ...(name !== undefined && { name, search_text: await readSearchText(db, id, name) }),
      ...(notes !== undefined && { notes }),
    })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        ...(name === undefined ? [] : [eb('name', '!=', name)]),
        ...(notes === undefined ? [] : [eb('notes', '!=', notes)]),
      ]),
    )
    .executeTakeFirst();
  changed(id);
  return numUpdatedRows > 0n;
}

async function readSearchText(db: Kysely<Tables>, id: string, name: string): Promise<string> {
  const installation = await db
    .selectFrom('installations')
    .select(['id', 'issuer', 'tenant_id as tenantId', 'plugin_id as pluginId'])
    .where('id', '=', id)
    .executeTakeFirst();
  return installation ? searchTextOf({ ...installation, name }) : '';
}

async function acknowledge(context: Context, id: string, generation: number): Promise<boolean> {
  const { db, changed } = context;
  await lockInstallation(context, id);
  const { numUpdatedRows } = await db
    .updateTable('installations')
    .set({ acknowledged_generation: generation })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('status', '=', 'uninstalled')
    .where('error_reason', 'is not', null)
    .where('usable_generation', '<', generation)
    .where(sql<boolean>`coalesce(acknowledged_generation, -1) <> generation`)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await settleCondition(context, id, { endedBy: 'uninstall' });
  changed(id);
  return numUpdatedRows > 0n;
}

async function eraseUser(
  { db, changed, erased }: Context,
  { userId, tenantId }: ErasedUser,
): Promise<number> {
  const rows = await db
    .updateTable('plugin_sessions')
    // No life has the number 0, so the session has ended.
    .set({ user_id: '', generation: 0, claims_sealed: null })
    .where('user_id', '=', userId)
    .$if(tenantId !== undefined, (query) =>
      query.where('installation_id', 'in', (eb) =>
        eb
          .selectFrom('installations')
          .select('id')
          .where('tenant_id', '=', tenantId ?? ''),
      ),
    )
    .returning('installation_id')
    .execute();
  for (const id of new Set(rows.map((row) => row.installation_id))) changed(id);
  erased();
  return rows.length;
}
