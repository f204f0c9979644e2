import { randomUUID } from 'node:crypto';
import { canonicalIssuer } from '@dowel/schema';
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type Database, lockInstallation } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import type { Installation, InstallationKey, InstallationStore } from '../store.ts';
import { hasNoInstanceEvents, isPlaced, writeInstance } from './instance-rules.ts';
import { endOfLife, isLaterThanEnd, leftovers, newLife } from './life-rules.ts';

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

type EndedLife = Pick<
  Selectable<Tables['installations']>,
  'id' | 'generation' | 'token_version' | 'applied_iat' | 'status'
>;

const identity = ['issuer', 'tenant_id', 'plugin_id'] as const;

/** The last door: no caller can make two installations of one by spelling its issuer in two ways. */
const canonicalKey = (key: InstallationKey): InstallationKey => ({
  ...key,
  issuer: canonicalIssuer(key.issuer) ?? key.issuer,
});

const columnsOf = ({ issuer, tenantId, pluginId }: InstallationKey) => ({
  issuer,
  tenant_id: tenantId,
  plugin_id: pluginId,
});

export function createInstallationStore(
  { db, now, locksRows, erased }: Database,
  changed: (installationId: string) => void,
): InstallationStore {
  const select = () => selectInstallations(db);
  const lock = (id: string) => lockInstallation({ db, locksRows }, id);

  async function get(id: string): Promise<Installation | undefined> {
    await lock(id);
    return select().where('installations.id', '=', id).executeTakeFirst();
  }

  async function find(anyKey: InstallationKey): Promise<Installation | undefined> {
    const key = canonicalKey(anyKey);
    const found = await db
      .selectFrom('installations')
      .select('id')
      .where('issuer', '=', key.issuer)
      .where('tenant_id', '=', key.tenantId)
      .where('plugin_id', '=', key.pluginId)
      .$if(locksRows, (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
    // A statement of its own, as lockInstallation says.
    return found && select().where('installations.id', '=', found.id).executeTakeFirst();
  }

  async function announce(key: InstallationKey): Promise<Installation> {
    const installation = await find(key);
    if (!installation) throw new Error('The installation vanished while it was written');
    changed(installation.id);
    return installation;
  }

  /** An install of a life that goes on shows it, also when a newer code has begun it. */
  async function noteInstall(key: InstallationKey, iat: number): Promise<void> {
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

  /** Deletes what belongs to the life that has ended, and nothing that a later one has stored since. */
  async function forgetLife(
    { id, generation, token_version, applied_iat, status }: EndedLife,
    iat: number,
  ): Promise<void> {
    const isOver = status === 'uninstalled';
    const intents = await db
      .deleteFrom('exchange_intents')
      .where('installation_id', '=', id)
      .where('generation', '<=', generation)
      .$if(!isOver, (query) => query.where('iat', '<=', iat))
      .executeTakeFirst();
    let deleted = intents.numDeletedRows;
    if (applied_iat === null) {
      const grants = await db
        .deleteFrom('grants')
        .where('installation_id', '=', id)
        .where('token_version', '<=', token_version)
        .executeTakeFirst();
      deleted += grants.numDeletedRows;
    }
    if (isOver) {
      await db
        .deleteFrom('plugin_sessions')
        .where('installation_id', '=', id)
        .where('generation', '<=', generation)
        .execute();
    }
    if (deleted > 0n) erased();
  }

  return {
    find,

    get,

    async findByInstance(anyIssuer, tenantId, instanceId) {
      const issuer = canonicalIssuer(anyIssuer) ?? anyIssuer;
      const id = sql.ref('installations.id');
      const live = await select()
        .select([
          asNumber(isPlaced(id, sql`${instanceId}`)).as('placed'),
          asNumber(hasNoInstanceEvents(id)).as('silent'),
        ])
        .where('issuer', '=', issuer)
        .where('tenant_id', '=', tenantId)
        .where('status', '!=', 'uninstalled')
        .execute();
      const [only] = live.length === 1 ? live : [];
      const found = live.find(({ placed }) => placed === 1) ?? (only?.silent === 1 ? only : null);
      if (!found) return { outcome: live.length === 0 ? 'tenant_unknown' : 'instance_unknown' };
      const { placed: _, silent: __, ...installation } = found;
      return { outcome: 'found', installation };
    },

    async begin(anyKey, iat, at, code) {
      const key = canonicalKey(anyKey);
      const isOfInstall = code === undefined;
      const life = { ...newLife(iat, code ?? null, isOfInstall), created_at: at };
      const begun = await db
        .insertInto('installations')
        .values({ id: randomUUID(), ...columnsOf(key), ...life, generation: 1, token_version: 0 })
        .onConflict((conflict) =>
          conflict
            .columns(identity)
            .doUpdateSet((eb) => ({
              ...leftovers,
              ...life,
              generation: eb('installations.generation', '+', 1),
            }))
            .where('installations.status', '=', 'uninstalled')
            .where(isLaterThanEnd(iat, isOfInstall)),
        )
        .returning('ended_iat')
        .executeTakeFirst();
      if (isOfInstall) await noteInstall(key, iat);
      const isRevival = begun !== undefined && begun.ended_iat !== null;
      return { ...(await announce(key)), isRevival };
    },

    async uninstall(key, iat) {
      const ended = await db
        .insertInto('installations')
        .values({
          id: randomUUID(),
          ...columnsOf(canonicalKey(key)),
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
      await forgetLife(ended, iat);
      return announce(key);
    },

    async antedate({ id, generation }, code, iat) {
      await db
        .updateTable('installations')
        .set({ began_iat: iat })
        .where('id', '=', id)
        .where('generation', '=', generation)
        .where('began_code', '=', code)
        .where('began_iat', '>', iat)
        .execute();
    },

    async giveUp({ id, generation }, code) {
      await lock(id);
      // While an intent of this life is left, its code may still bring tokens, or a trigger is due.
      const hasIntent = sql`exists (select 1 from exchange_intents
        where installation_id = ${id} and exchange_intents.generation = ${generation})`;
      const isOver = sql`(status = 'pending' and ended_iat is not null
        and installed_iat is null and not ${hasIntent})`;
      const { numUpdatedRows } = await db
        .updateTable('installations')
        .set({
          status: sql`case when ${isOver} then 'uninstalled' else status end`,
          ended_at: sql`case when ${isOver} then ${now()} else ended_at end`,
          // Where an install shows the life, it began with it; otherwise any later uninstall ends it.
          began_iat: sql`coalesce(installed_iat, 0)`,
          began_by: sql`case when installed_iat is null then began_by else 'install' end`,
          began_code: null,
        })
        .where('id', '=', id)
        .where('generation', '=', generation)
        .where('began_by', '=', 'access_token')
        // 0: the code that began it was given up before, while this one could still bring tokens.
        .where((eb) => eb.or([eb('began_code', '=', code), eb('began_iat', '=', 0)]))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed(id);
    },

    async addInstance(installationId, instanceId, iat) {
      await writeInstance(db, { installationId, instanceId, iat, isRemoved: false });
      changed(installationId);
    },

    async removeInstance(installationId, instanceId, iat) {
      await lock(installationId);
      const removal = { installationId, instanceId, iat, isRemoved: true };
      if (!(await writeInstance(db, removal))) return;
      // The rows stay: they remember which init JWTs were used. No life has the number 0.
      await db
        .updateTable('plugin_sessions')
        .set({ generation: 0 })
        .where('installation_id', '=', installationId)
        .where('instance_id', '=', instanceId)
        .execute();
      changed(installationId);
    },
  };
}

/** A condition as both kinds of database can return it. */
function asNumber(condition: RawBuilder<SqlBool>) {
  return sql<number>`case when ${condition} then 1 else 0 end`;
}
