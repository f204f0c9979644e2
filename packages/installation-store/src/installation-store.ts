import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Installation, InstallationKey, InstallationStore } from './store.ts';
import type { Tables } from './tables.ts';

/** Selects whole installations, with the address their tokens came from. */
export function selectInstallations(db: Kysely<Tables>) {
  return db
    .selectFrom('installations')
    .leftJoin('grants', 'grants.installation_id', 'installations.id')
    .select([
      'installations.id',
      'installations.issuer',
      'installations.tenant_id as tenantId',
      'installations.plugin_id as pluginId',
      'installations.status',
      'installations.generation',
      'installations.began_iat as beganIat',
      'installations.ended_iat as endedIat',
      'installations.applied_iat as appliedIat',
      'grants.base_url as baseUrl',
    ]);
}

export function createInstallationStore(
  { db, now, locksRows, erased }: Database,
  changed: (installationId: string) => void,
): InstallationStore {
  const select = () => selectInstallations(db);

  /** NO KEY: who only refers to the installation, such as its history, does not wait. */
  const selectToDecide = () =>
    select().$if(locksRows, (query) => query.forNoKeyUpdate('installations'));

  function find(key: InstallationKey): Promise<Installation | undefined> {
    return selectToDecide()
      .where('issuer', '=', key.issuer)
      .where('tenant_id', '=', key.tenantId)
      .where('plugin_id', '=', key.pluginId)
      .executeTakeFirst();
  }

  return {
    find,

    get: (id) => selectToDecide().where('installations.id', '=', id).executeTakeFirst(),

    async findByInstance(issuer, tenantId, instanceId) {
      const live = await select()
        .where('issuer', '=', issuer)
        .where('tenant_id', '=', tenantId)
        .where('status', '!=', 'uninstalled')
        .execute();
      if (live.length <= 1) return live[0];
      const placed = await db
        .selectFrom('instances')
        .select('installation_id')
        .where('instance_id', '=', instanceId)
        .where(
          'installation_id',
          'in',
          live.map(({ id }) => id),
        )
        .executeTakeFirst();
      return live.find(({ id }) => id === placed?.installation_id);
    },

    async begin(key, iat, at) {
      await db
        .insertInto('installations')
        .values({
          id: randomUUID(),
          issuer: key.issuer,
          tenant_id: key.tenantId,
          plugin_id: key.pluginId,
          status: 'pending',
          generation: 1,
          token_version: 0,
          began_iat: iat,
          created_at: at,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['issuer', 'tenant_id', 'plugin_id'])
            .doUpdateSet((eb) => ({
              status: 'pending',
              generation: eb('installations.generation', '+', 1),
              began_iat: iat,
              applied_iat: null,
              created_at: at,
              error_reason: null,
              error_at: null,
              ended_at: null,
              next_trigger_at: null,
              triggers: 0,
            }))
            .where('installations.status', '=', 'uninstalled'),
        )
        .execute();
      await db
        .updateTable('installations')
        .set({ began_iat: iat })
        .where('issuer', '=', key.issuer)
        .where('tenant_id', '=', key.tenantId)
        .where('plugin_id', '=', key.pluginId)
        .where('began_iat', '<', iat)
        .execute();
      const installation = await find(key);
      if (!installation) throw new Error('The installation vanished while it was created');
      changed(installation.id);
      return installation;
    },

    async uninstall({ id, generation }, iat) {
      const { numUpdatedRows } = await db
        .updateTable('installations')
        .set({
          status: 'uninstalled',
          ended_at: now(),
          ended_iat: sql`case when ended_iat > ${iat} then ended_iat else ${iat} end`,
        })
        .where('id', '=', id)
        .where('generation', '=', generation)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      await db.deleteFrom('grants').where('installation_id', '=', id).execute();
      await db.deleteFrom('exchange_intents').where('installation_id', '=', id).execute();
      await db.deleteFrom('plugin_sessions').where('installation_id', '=', id).execute();
      erased();
      changed(id);
    },

    async addInstance(installationId, instanceId) {
      await db
        .insertInto('instances')
        .values({ installation_id: installationId, instance_id: instanceId })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      changed(installationId);
    },

    async removeInstance(installationId, instanceId) {
      await db
        .deleteFrom('instances')
        .where('installation_id', '=', installationId)
        .where('instance_id', '=', instanceId)
        .execute();
      changed(installationId);
    },
  };
}
