import { randomUUID } from 'node:crypto';
import { canonicalIssuer, type InstallationStatus } from '@dowel/schema';
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database } from './database.ts';
import { hasNoInstanceEvents, isPlaced, writeInstance } from './instance-rules.ts';
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

type EndedLife = Pick<
  Selectable<Tables['installations']>,
  'id' | 'generation' | 'token_version' | 'applied_iat' | 'status'
>;

/** Tokens of an event of so many seconds later show a life that began after the uninstall. */
const orderToleranceSeconds = 5;

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

/**
 * A new life begins later than the one before it ended. An install may be of the same second; but where
 * no life was seen before its end, that install is the one whose life has ended.
 */
function isLaterThanEnd(iat: number, isOfInstall: boolean) {
  const isOfThatSecond = isOfInstall
    ? sql`(installations.ended_iat = ${iat} and installations.generation > 0)`
    : sql`1 = 0`;
  return sql<boolean>`(installations.ended_iat is null or installations.ended_iat < ${iat}
    or ${isOfThatSecond})`;
}

/**
 * What an uninstall makes of a row that is there. A life that began after the uninstall was signed goes
 * on; if its tokens are of an event from before, they are those of the life that has ended, and go.
 */
function endOfLife(iat: number, now: RawBuilder<number>) {
  const isOver = sql`(installations.status = 'uninstalled' or (installations.began_iat <= ${iat}
    and (installations.applied_iat is null
      or installations.applied_iat <= ${iat + orderToleranceSeconds})))`;
  const losesTokens = sql`(installations.applied_iat <= ${iat})`;
  const stored = (column: keyof Tables['installations']) => sql.ref(`installations.${column}`);
  return {
    status: sql<InstallationStatus>`case when ${isOver} then 'uninstalled'
      when ${losesTokens} then 'pending' else ${stored('status')} end`,
    token_version: sql<number>`case when ${losesTokens} and not ${isOver}
      then ${stored('token_version')} + 1 else ${stored('token_version')} end`,
    applied_iat: sql<number>`case when ${isOver} or ${losesTokens}
      then null else ${stored('applied_iat')} end`,
    began_iat: sql<number>`case when ${isOver} or ${stored('began_iat')} > ${iat}
      then ${stored('began_iat')} else ${stored('applied_iat')} end`,
    ended_iat: sql<number>`case when ${stored('ended_iat')} > ${iat}
      then ${stored('ended_iat')} else ${iat} end`,
    ended_at: sql<number>`case when ${isOver} then ${now} end`,
    next_trigger_at: sql<number>`case when ${isOver} or ${losesTokens}
      then null else ${stored('next_trigger_at')} end`,
  };
}

export function createInstallationStore(
  { db, now, locksRows, erased }: Database,
  changed: (installationId: string) => void,
): InstallationStore {
  const select = () => selectInstallations(db);

  /** NO KEY: who only refers to the installation, such as its history, does not wait. */
  const selectToDecide = () =>
    select().$if(locksRows, (query) => query.forNoKeyUpdate('installations'));

  function find(anyKey: InstallationKey): Promise<Installation | undefined> {
    const key = canonicalKey(anyKey);
    return selectToDecide()
      .where('issuer', '=', key.issuer)
      .where('tenant_id', '=', key.tenantId)
      .where('plugin_id', '=', key.pluginId)
      .executeTakeFirst();
  }

  async function announce(key: InstallationKey): Promise<Installation> {
    const installation = await find(key);
    if (!installation) throw new Error('The installation vanished while it was written');
    changed(installation.id);
    return installation;
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

    get: (id) => selectToDecide().where('installations.id', '=', id).executeTakeFirst(),

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

    async begin(anyKey, iat, at, event = 'install') {
      const key = canonicalKey(anyKey);
      const isOfInstall = event === 'install';
      const life = { status: 'pending', began_iat: iat, began_by: event, created_at: at } as const;
      const begun = await db
        .insertInto('installations')
        .values({ id: randomUUID(), ...columnsOf(key), ...life, generation: 1, token_version: 0 })
        .onConflict((conflict) =>
          conflict
            .columns(identity)
            .doUpdateSet((eb) => ({
              ...life,
              generation: eb('installations.generation', '+', 1),
              // Nothing is sealed any more.
              sealed_issuer: null,
              applied_iat: null,
              error_reason: null,
              error_at: null,
              ended_at: null,
              next_trigger_at: null,
              triggers: 0,
            }))
            .where('installations.status', '=', 'uninstalled')
            .where(isLaterThanEnd(iat, isOfInstall)),
        )
        .returning('ended_iat')
        .executeTakeFirst();
      if (isOfInstall) {
        await db
          .updateTable('installations')
          .set({ began_iat: iat, began_by: event })
          .where('issuer', '=', key.issuer)
          .where('tenant_id', '=', key.tenantId)
          .where('plugin_id', '=', key.pluginId)
          .where('status', '!=', 'uninstalled')
          .where('began_iat', '<=', iat)
          .execute();
      }
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

    async giveUp({ id, generation }, iat) {
      // While an intent of this life is left, its code may still bring tokens, or a trigger is due.
      const hasIntent = sql`exists (select 1 from exchange_intents
        where installation_id = ${id} and exchange_intents.generation = ${generation})`;
      const isOver = sql`(status = 'pending' and ended_iat is not null and not ${hasIntent})`;
      const { numUpdatedRows } = await db
        .updateTable('installations')
        .set({
          status: sql`case when ${isOver} then 'uninstalled' else status end`,
          ended_at: sql`case when ${isOver} then ${now()} else ended_at end`,
          // Without a tombstone the life goes on; any later uninstall ends it.
          began_iat: 0,
        })
        .where('id', '=', id)
        .where('generation', '=', generation)
        .where('began_by', '=', 'access_token')
        .where('began_iat', '=', iat)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed(id);
    },

    async addInstance(installationId, instanceId, iat) {
      await writeInstance(db, { installationId, instanceId, iat, isRemoved: false });
      changed(installationId);
    },

    async removeInstance(installationId, instanceId, iat) {
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
