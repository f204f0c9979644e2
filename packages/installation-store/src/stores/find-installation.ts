/** Finds installations by key, by id, and by instance. */
import { canonicalIssuer } from '@dowel/schema';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Installation, InstallationKey, InstanceLookup } from '../installation-store.ts';
import { lockInstallation } from '../sql/database.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { Tables } from '../sql/tables.ts';
import { hasNoInstanceEvents, isPlaced } from './instance-rules.ts';
import type { StoreContext } from './store-context.ts';

type Context = Pick<StoreContext, 'db' | 'locksRows'>;

/** Selects installations with the base URL of their tokens. */
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
      'installations.plugin',
      'installations.usable_generation as usableGeneration',
      'installations.awaits_admission as awaitsAdmission',
      'installations.created_at as beganAt',
    ]);
}

type InstallationRow = Omit<Installation, 'awaitsAdmission'> & { awaitsAdmission: number };

/** The databases have no common type for true and false. */
export function installationOf(row: InstallationRow): Installation {
  return { ...row, awaitsAdmission: row.awaitsAdmission === 1 };
}

/** The last check that one issuer with two spellings cannot become two installations. */
export function canonicalKey(key: InstallationKey): InstallationKey {
  return { ...key, issuer: canonicalIssuer(key.issuer) ?? key.issuer };
}

export async function getInstallation(
  context: Context,
  id: string,
): Promise<Installation | undefined> {
  await lockInstallation(context, id);
  const row = await selectInstallations(context.db)
    .where('installations.id', '=', id)
    .executeTakeFirst();
  return row && installationOf(row);
}

export async function findInstallation(
  context: Context,
  anyKey: InstallationKey,
): Promise<Installation | undefined> {
  const key = canonicalKey(anyKey);
  // Must be a separate statement: see lockInstallation.
  if (context.locksRows && (await lockByKey(context, key)).rows.length === 0) return undefined;
  const { rows } = await selectByKey(context, key);
  return rows[0] && installationOf(rows[0]);
}

const lockByKey = prepare(({ db }: Context, key: Parameter<InstallationKey>) =>
  db
    .selectFrom('installations')
    .select('id')
    .where('issuer', '=', key('issuer'))
    .where('tenant_id', '=', key('tenantId'))
    .where('plugin_id', '=', key('pluginId'))
    .forNoKeyUpdate(),
);

const selectByKey = prepare(({ db }: Context, key: Parameter<InstallationKey>) =>
  selectInstallations(db)
    .where('installations.issuer', '=', key('issuer'))
    .where('installations.tenant_id', '=', key('tenantId'))
    .where('installations.plugin_id', '=', key('pluginId')),
);

/** An instance at a tenant, as a page of this plug-in names it. */
interface NamedInstance {
  issuer: string;
  tenantId: string;
  instanceId: string;
  plugin: string;
}

export async function findByInstance(
  { db }: Context,
  { issuer, tenantId, instanceId, plugin }: NamedInstance,
): Promise<InstanceLookup> {
  const id = sql.ref('installations.id');
  const live = await selectInstallations(db)
    .select([
      asNumber(isPlaced(id, sql`${instanceId}`)).as('placed'),
      asNumber(hasNoInstanceEvents(id)).as('silent'),
      sql<number | null>`(select max(ended.ended_iat) from installations as ended
        where ended.issuer = installations.issuer and ended.tenant_id = installations.tenant_id
        and ended.plugin = installations.plugin)`.as('lastEndedIat'),
    ])
    .where('issuer', '=', canonicalIssuer(issuer) ?? issuer)
    .where('tenant_id', '=', tenantId)
    .where('status', '!=', 'uninstalled')
    .where('awaits_admission', '=', 0)
    .execute();
  const ofPlugin = live.filter((each) => each.plugin === plugin);
  // Another plug-in's installation tells the caller why it refuses the session.
  const candidates = ofPlugin.length > 0 ? ofPlugin : live;
  const [only] = candidates.length === 1 ? candidates : [];
  const found = live.find(({ placed }) => placed === 1) ?? (only?.silent === 1 ? only : null);
  if (!found) return { outcome: live.length === 0 ? 'tenant_unknown' : 'instance_unknown' };
  const { placed: _, silent: __, lastEndedIat, ...row } = found;
  return { outcome: 'found', installation: installationOf(row), lastEndedIat };
}

/** A condition as a number, because both kinds of database can return that. */
function asNumber(condition: RawBuilder<SqlBool>) {
  return sql<number>`case when ${condition} then 1 else 0 end`;
}
