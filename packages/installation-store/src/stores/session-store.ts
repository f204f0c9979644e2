import { sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { SessionStore } from '../store.ts';
import { mayHaveSessions } from './instance-rules.ts';

export function createSessionStore({
  db,
  locksRows,
}: Pick<Database, 'db' | 'locksRows'>): SessionStore {
  return {
    async createPluginSession(tokenHash, session, initJti) {
      const { installationId, generation, userId, instanceId, expiresAt } = session;
      const live = await db
        .selectFrom('installations')
        .select('id')
        .where('id', '=', installationId)
        .where('generation', '=', generation)
        .where('status', '!=', 'uninstalled')
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
    },

    findPluginSession: (tokenHash, now) =>
      db
        .selectFrom('plugin_sessions as session')
        .innerJoin('installations as installation', (join) =>
          join
            .onRef('installation.id', '=', 'session.installation_id')
            .onRef('installation.generation', '=', 'session.generation'),
        )
        .select([
          'session.installation_id as installationId',
          'installation.plugin_id as pluginId',
          'session.generation',
          'session.user_id as userId',
          'session.instance_id as instanceId',
          'session.expires_at as expiresAt',
        ])
        .where('session.token_hash', '=', tokenHash)
        .where('session.expires_at', '>', now)
        .where('installation.status', '!=', 'uninstalled')
        // Checked on each call, so that a removal ends the session on every process at once.
        .where(mayHaveSessions(sql.ref('installation.id'), sql.ref('session.instance_id')))
        .executeTakeFirst(),

    async createAdminSession(tokenHash, { expiresAt, idleAt }) {
      await db
        .insertInto('admin_sessions')
        .values({ token_hash: tokenHash, expires_at: expiresAt, idle_at: idleAt })
        .execute();
    },

    findAdminSession: (tokenHash, now) =>
      db
        .selectFrom('admin_sessions')
        .select(['expires_at as expiresAt', 'idle_at as idleAt'])
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', now)
        .where('idle_at', '>', now)
        .executeTakeFirst(),

    async extendAdminSession(tokenHash, idleAt, now) {
      await db
        .updateTable('admin_sessions')
        .set({ idle_at: idleAt })
        .where('token_hash', '=', tokenHash)
        .where('idle_at', '>', now)
        .where('idle_at', '<', idleAt)
        .execute();
    },

    async removeAdminSession(tokenHash) {
      await db.deleteFrom('admin_sessions').where('token_hash', '=', tokenHash).execute();
    },
  };
}
