/** Sessions of plug-ins' pages and of operators. */
import { splitScope } from '@dowel/schema';
import { sql } from 'kysely';
import type { AdminSession } from '../account-store.ts';
import type { PluginSession, SessionStore } from '../session-store.ts';
import type { Database } from '../sql/database.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import { selectSessions } from './account-store.ts';
import { mayHaveSessions } from './instance-rules.ts';
import { createNonce, isNonceFresh } from './session-nonces.ts';
import type { StoreContext } from './store-context.ts';

type Context = Pick<Database, 'db' | 'locksRows'>;

/** The sessions of one database. Its methods throw the database's errors. */
export function createSessionStore(
  context: Pick<StoreContext, 'db' | 'locksRows' | 'keyring'>,
): SessionStore {
  return {
    createNonce: (nonce) => createNonce(context, nonce),
    isNonceFresh: (nonce, asked) => isNonceFresh(context, nonce, asked),
    createPluginSession: (tokenHash, session, initJti) =>
      createPluginSession(context, { tokenHash, session, initJti }),
    findPluginSession: (tokenHash, now) => findPluginSession(context, tokenHash, now),
    createAdminSession: (tokenHash, session) => createAdminSession(context, tokenHash, session),
    findAdminSession: (tokenHash, now) => findAdminSession(context, tokenHash, now),
    extendAdminSession: (tokenHash, idleAt, now) =>
      extendAdminSession(context, tokenHash, { idleAt, now }),
    removeAdminSession: (tokenHash) => removeAdminSession(context, tokenHash),
  };
}

async function createPluginSession(
  { db, locksRows }: Context,
  { tokenHash, session, initJti }: { tokenHash: string; session: PluginSession; initJti: string },
): Promise<'opened' | 'replayed' | 'over'> {
  const { installationId, generation, userId, instanceId, expiresAt } = session;
  const live = await db
    .selectFrom('installations')
    .select('id')
    .where('id', '=', installationId)
    .where('generation', '=', generation)
    .where('status', '!=', 'uninstalled')
    .where('awaits_admission', '=', 0)
    // Blocks changes that end sessions; does not block the opening of other sessions.
    .$if(locksRows, (query) => query.forShare())
    .executeTakeFirst();
  // A separate statement, because it sees an instance that was removed during the wait for the lock.
  const placed = await db
    .selectFrom('installations')
    .select('id')
    .where('id', '=', installationId)
    .where(mayHaveSessions(sql.ref('installations.id'), sql`${instanceId}`))
    .executeTakeFirst();
  if (!live || !placed) return 'over';
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('plugin_sessions')
    .values({
      token_hash: tokenHash,
      installation_id: installationId,
      generation,
      user_id: userId,
      instance_id: instanceId,
      init_jti: initJti,
      expires_at: expiresAt,
    })
    .onConflict((conflict) => conflict.columns(['installation_id', 'init_jti']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n ? 'opened' : 'replayed';
}

async function findPluginSession(context: Context, tokenHash: string, now: number) {
  const { rows } = await selectPluginSession(context, { tokenHash, now });
  const [row] = rows;
  if (!row) return undefined;
  return { ...row, grantedScopes: splitScope(row.grantedScopes ?? '') };
}

const selectPluginSession = prepare(
  ({ db }: Context, asked: Parameter<{ tokenHash: string; now: number }>) =>
    db
      .selectFrom('plugin_sessions as session')
      .innerJoin('installations as installation', (join) =>
        join
          .onRef('installation.id', '=', 'session.installation_id')
          .onRef('installation.generation', '=', 'session.generation'),
      )
      .leftJoin('grants', (join) =>
        join
          .onRef('grants.installation_id', '=', 'session.installation_id')
          .onRef('grants.generation', '=', 'session.generation'),
      )
      .select([
        'session.installation_id as installationId',
        'installation.issuer',
        'installation.tenant_id as tenantId',
        'installation.plugin_id as pluginId',
        'installation.plugin',
        'session.generation',
        'session.user_id as userId',
        'session.instance_id as instanceId',
        'session.expires_at as expiresAt',
        'grants.granted_scopes as grantedScopes',
      ])
      .where('session.token_hash', '=', asked('tokenHash'))
      .where('session.expires_at', '>', asked('now'))
      .where('installation.status', '!=', 'uninstalled')
      // Checked on each call, so that a removal ends the session on every process at once.
      .where(mayHaveSessions(sql.ref('installation.id'), sql.ref('session.instance_id'))),
);

async function createAdminSession(
  { db }: Context,
  tokenHash: string,
  { accountRevision, createdAt, expiresAt, idleAt, ...operator }: AdminSession,
): Promise<void> {
  await db
    .insertInto('admin_sessions')
    .values({
      ...operator,
      token_hash: tokenHash,
      account_revision: accountRevision,
      created_at: createdAt,
      expires_at: expiresAt,
      idle_at: idleAt,
    })
    .execute();
}

function findAdminSession(context: Context, tokenHash: string, now: number) {
  return selectSessions(context, now)
    .where('session.token_hash', '=', tokenHash)
    .executeTakeFirst();
}

async function extendAdminSession(
  { db }: Context,
  tokenHash: string,
  { idleAt, now }: { idleAt: number; now: number },
): Promise<void> {
  await db
    .updateTable('admin_sessions')
    .set({ idle_at: idleAt })
    .where('token_hash', '=', tokenHash)
    .where('idle_at', '>', now)
    .where('idle_at', '<', idleAt)
    .execute();
}

async function removeAdminSession({ db }: Context, tokenHash: string): Promise<void> {
  await db.deleteFrom('admin_sessions').where('token_hash', '=', tokenHash).execute();
}
