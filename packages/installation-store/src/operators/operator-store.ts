import type { InstallationStatus } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import { purgeTombstone } from '../retention/maintenance-tombstones.ts';
import { type Database, lockInstallation } from '../sql/database.ts';
import { isOtherNewer } from '../sql/other-address.ts';
import { searchTextOf } from '../sql/search-text.ts';
import type { Tables } from '../sql/tables.ts';
import { settleCondition } from '../stores/condition.ts';
import { beginPause, endPause } from '../stores/set-pause.ts';
import type { StoreContext } from '../stores/store-context.ts';

/** What decides whether an operator's action makes sense. Contains no secret. */
export interface OperatedInstallation {
  id: string;
  issuer: string;
  /** The name that an operator gave it; '' without one. */
  name: string;
  notes: string;
  status: InstallationStatus;
  generation: number;
  /** Null while it is not paused. `by` is '' when it rests by itself, because its tenant has a newer address. */
  pause: { at: number; by: string; reason: string } | null;
  /** The tenant has this plug-in under another issuer, too, with tokens of a newer event. */
  hasNewerAddress: boolean;
  /** When the last uninstall came; null while the installation lives. */
  endedAt: number | null;
  /** Until when an uninstalled record is kept, beyond the usual time; null: not longer. */
  keptUntil: number | null;
  /** An access_token event of this generation was refused, and it never had tokens. */
  isInstallRefused: boolean;
  /** An operator has seen the refused install of this generation. */
  isAcknowledged: boolean;
  /** The stored token set; null without one. */
  token: { version: number; expiresAt: number | null; hasRefreshToken: boolean } | null;
}

/** A user of the platform. */
export interface ErasedUser {
  userId: string;
  /** Left out: in every tenant. */
  tenantId?: string | undefined;
}

type Context = Pick<
  StoreContext,
  'db' | 'now' | 'locksRows' | 'keyring' | 'changed' | 'tokensChanged' | 'erased'
>;

/**
 * What operators change of one installation (docs/decisions/0043-operator-actions.md). Each method is one change; `false`:
 * the installation was in this state already, or is gone.
 */
export function createOperatorStore(context: Context) {
  return {
    find: (id: string) => findOperated(context, id),
    /**
     * From the commit on, no lease and no trigger is granted, and nothing is healed or probed, in any process. It
     * ends only by `resume`: an uninstall or install does not end it. It takes the place of a rest.
     */
    pause: (id: string, pause: { by: string; reason: string }) => beginPause(context, id, pause),
    /** Ends a pause, and the rest of an installation whose tenant has a newer address. */
    resume: (id: string) => endPause(context, id),
    /** Ends the open sessions of its pages. @returns how many. `now` in epoch milliseconds. */
    endSessions: (id: string, now: number) => endSessions(context, id, now),
    /** Keeps the tombstone until then, if that is later than the usual time. */
    keepUntil: (id: string, until: number) => keepUntil(context, id, until),
    /**
     * Deletes a tombstone whose life ended `endedForMs` ago or earlier, with everything that refers to it. Its rows in
     * the audit stay.
     */
    purge: (id: string, endedForMs: number) => purgeTombstone(context, { id, endedForMs }),
    /** Members that are left out stay unchanged. */
    describe: (id: string, description: { name?: string; notes?: string }) =>
      describeInstallation(context, id, description),
    /** Marks the refused install of this generation as seen. A later one is not marked. */
    acknowledge: (id: string, generation: number) => acknowledge(context, id, generation),
    /**
     * Removes the user's id from the sessions of pages, and ends these sessions. Their rows stay, because they record
     * which init JWTs were used.
     *
     * @returns how many rows had the id.
     */
    eraseUser: (user: ErasedUser) => eraseUser(context, user),
    /**
     * A mark of a user's id for the audit: equal for equal ids while the active key is the same, and of no use without
     * the key.
     */
    fingerprintOf: (userId: string) => context.keyring.authenticate(userId, 'erased user'),
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
  const ofTenant = db
    .selectFrom('installations')
    .select('id')
    .where('tenant_id', '=', tenantId ?? '');
  const rows = await db
    .updateTable('plugin_sessions')
    // No life has the number 0, so the session has ended.
    .set({ user_id: '', generation: 0, claims_sealed: null })
    .where('user_id', '=', userId)
    .$if(tenantId !== undefined, (query) => query.where('installation_id', 'in', ofTenant))
    .returning('installation_id')
    .execute();
  // The platform's answer may name the user.
  const { numUpdatedRows: calls } = await db
    .updateTable('call_log')
    .set({ user_id: null, request_id: null, answer: null })
    .where('user_id', '=', userId)
    .$if(tenantId !== undefined, (query) => query.where('installation_id', 'in', ofTenant))
    .executeTakeFirstOrThrow();
  for (const id of new Set(rows.map((row) => row.installation_id))) changed(id);
  erased();
  return rows.length + Number(calls);
}
