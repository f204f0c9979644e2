/**
 * The lives of an installation: how each event begins, moves or ends one. Every step is one statement,
 * so events may come in any order, at several processes (docs/decisions/0017).
 */
import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { lockInstallation } from '../sql/database.ts';
import { searchTextOf } from '../sql/search-text.ts';
import type { Tables } from '../sql/tables.ts';
import { countNew, settleCondition } from './condition.ts';
import {
  canonicalKey,
  findInstallation,
  type Installation,
  type InstallationKey,
} from './find-installation.ts';
import { settleHealing } from './healing.ts';
import { endOfLife, isLaterThanEnd, leftovers, newLife } from './life-rules.ts';
import type { StoreContext } from './store-context.ts';

export interface Beginning {
  /** The digest of the access_token event that begins the life. Default: an install does. */
  code?: string | undefined;
  /** The plug-in, by the name that the back end gave it. Kept from the first life. Default ''. */
  plugin?: string;
  /** The plug-in's `beforeInstall` must let the new life in. Default false. */
  awaitsAdmission?: boolean;
}

export interface BegunInstallation extends Installation {
  /** This call began a life after a tombstone. */
  isRevival: boolean;
}

type Context = Omit<StoreContext, 'keyring'>;

type EndedLife = Pick<
  Selectable<Tables['installations']>,
  'id' | 'generation' | 'token_version' | 'applied_iat' | 'status'
>;

const identity = ['issuer', 'tenant_id', 'plugin_id'] as const;

export async function beginLife(
  context: Context,
  anyKey: InstallationKey,
  { iat, at, code, plugin = '', awaitsAdmission = false }: Beginning & { iat: number; at: number },
): Promise<BegunInstallation> {
  const key = canonicalKey(anyKey);
  const isOfInstall = code === undefined;
  const life = {
    ...newLife(iat, code ?? null, isOfInstall),
    created_at: at,
    awaits_admission: awaitsAdmission ? 1 : 0,
  };
  const begun = await context.db
    .insertInto('installations')
    .values({
      ...newRow(key),
      ...life,
      plugin,
      generation: 1,
      token_version: 0,
      condition: 'pending',
      unhealthy_since: at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(identity)
        .doUpdateSet((eb) => ({
          ...leftovers,
          ...life,
          // An uninstall before any life names no plug-in.
          plugin: sql<string>`case when installations.generation = 0 then ${plugin}
            else installations.plugin end`,
          generation: eb('installations.generation', '+', 1),
        }))
        // control C10
        .where('installations.status', '=', 'uninstalled')
        .where(isLaterThanEnd(iat, isOfInstall)),
    )
    .returning(['id', 'ended_iat', 'generation'])
    .executeTakeFirst();
  if (begun?.generation === 1 && begun.ended_iat === null) await countNew(context);
  else if (begun) await settleCondition(context, begun.id, { endedBy: 'install' });
  if (isOfInstall) await noteInstall(context, key, iat);
  const isRevival = begun !== undefined && begun.ended_iat !== null;
  return { ...(await announce(context, key)), isRevival };
}

/** An install proves its life, even if a newer code began that life. */
async function noteInstall({ db }: Context, key: InstallationKey, iat: number): Promise<void> {
  const isNewest = sql`installations.began_iat <= ${iat}`;
  await db
    .updateTable('installations')
    .set({
      installed_iat: sql`case when installations.installed_iat > ${iat}
        then installations.installed_iat else ${iat} end`,
      began_iat: sql`case when ${isNewest} then ${iat} else installations.began_iat end`,
      began_by: sql`case when ${isNewest} then 'install' else installations.began_by end`,
      began_code: sql`case when not ${isNewest} then installations.began_code end`,
    })
    .where('issuer', '=', key.issuer)
    .where('tenant_id', '=', key.tenantId)
    .where('plugin_id', '=', key.pluginId)
    .where('status', '!=', 'uninstalled')
    .where(isLaterThanEnd(iat, true, 1))
    .execute();
}

export async function endLife(
  context: Context,
  anyKey: InstallationKey,
  iat: number,
): Promise<Installation> {
  const { db, now } = context;
  const key = canonicalKey(anyKey);
  const ended = await db
    .insertInto('installations')
    .values({
      ...newRow(key),
      status: 'uninstalled',
      generation: 0,
      token_version: 0,
      began_iat: 0,
      ended_iat: iat,
      ended_at: now(),
      created_at: now(),
    })
    .onConflict((conflict) => conflict.columns(identity).doUpdateSet(endOfLife(iat, now())))
    .returning(['id', 'generation', 'token_version', 'applied_iat', 'status'])
    .executeTakeFirstOrThrow();
  await deleteLife(context, ended, iat);
  await settleHealing(context, ended.id);
  await settleCondition(context, ended.id, { endedBy: 'uninstall' });
  return announce(context, key);
}

/** Deletes the rows of the ended life. Rows of a later life are kept. */
async function deleteLife(context: Context, life: EndedLife, iat: number): Promise<void> {
  const intents = await deleteIntents(context, life, iat);
  const grants = life.applied_iat === null ? await deleteGrants(context, life) : 0n;
  if (life.status === 'uninstalled') await deleteSessions(context, life);
  if (intents + grants > 0n) context.erased();
}

async function deleteIntents(
  { db }: Context,
  { id, generation, status }: EndedLife,
  iat: number,
): Promise<bigint> {
  const isOver = status === 'uninstalled';
  const { numDeletedRows } = await db
    .deleteFrom('exchange_intents')
    .where('installation_id', '=', id)
    .where('generation', '<=', generation)
    .$if(!isOver, (query) => query.where('iat', '<=', iat))
    .executeTakeFirst();
  return numDeletedRows;
}

async function deleteGrants({ db }: Context, { id, token_version }: EndedLife): Promise<bigint> {
  const { numDeletedRows } = await db
    .deleteFrom('grants')
    .where('installation_id', '=', id)
    .where('token_version', '<=', token_version)
    .executeTakeFirst();
  return numDeletedRows;
}

async function deleteSessions({ db }: Context, { id, generation }: EndedLife): Promise<void> {
  await db
    .deleteFrom('plugin_sessions')
    .where('installation_id', '=', id)
    .where('generation', '<=', generation)
    .execute();
}

/** A copy of the event that began the life with `code` was signed earlier: the life began then. */
export async function antedateLife(
  { db }: Context,
  { id, generation }: Installation,
  { code, iat }: { code: string; iat: number },
): Promise<void> {
  await db
    .updateTable('installations')
    .set({ began_iat: iat })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('began_code', '=', code)
    .where('began_iat', '>', iat)
    .execute();
}

/** The code `code` was refused, so its event proves no life. */
export async function giveUpLife(
  context: Context,
  { id, generation }: Installation,
  code: string,
): Promise<void> {
  await lockInstallation(context, id);
  await context.db
    .updateTable('installations')
    .set({
      // A life with an install began with that install. A life without one is ended by any later uninstall.
      began_iat: sql`coalesce(installed_iat, 0)`,
      began_by: sql`case when installed_iat is null then began_by else 'install' end`,
      began_code: null,
    })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('began_by', '=', 'access_token')
    .where('began_code', '=', code)
    .execute();
  await endUnprovenLife(context, id);
}

/**
 * Ends a life that a refused code began after an uninstall. While it has an intent, another code may still bring
 * tokens, or a trigger is due.
 */
export async function endUnprovenLife(context: Context, id: string): Promise<void> {
  const { db, now, tokensChanged } = context;
  const { numUpdatedRows } = await db
    .updateTable('installations')
    .set({ status: 'uninstalled', ended_at: now() })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('ended_iat', 'is not', null)
    .where('began_iat', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('exchange_intents')
            .select('installation_id')
            .where('installation_id', '=', id)
            .whereRef('exchange_intents.generation', '=', 'installations.generation'),
        ),
      ),
    )
    .executeTakeFirst();
  await settleHealing(context, id);
  if (numUpdatedRows === 0n) return;
  await settleCondition(context, id, { endedBy: 'uninstall' });
  tokensChanged(id);
}

async function announce(context: Context, key: InstallationKey): Promise<Installation> {
  const installation = await findInstallation(context, key);
  if (!installation) throw new Error('The installation is missing after it was written');
  context.tokensChanged(installation.id);
  return installation;
}

function newRow(key: InstallationKey) {
  const { issuer, tenantId, pluginId } = key;
  const id = randomUUID();
  const search_text = searchTextOf({ ...key, id, name: '' });
  return { id, issuer, tenant_id: tenantId, plugin_id: pluginId, search_text };
}
