/** Finds installations by key, by id, and by instance. */
import {
  canonicalIssuer,
  findNamedPlugin,
  guessInstanceId,
  type InstallationStatus,
  type MatchedInstance,
  namesInstance,
  type PlatformProfile,
} from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import { lockInstallation } from '../sql/database.ts';
import { lifeIdOf } from '../sql/life-id.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { Tables } from '../sql/tables.ts';
import { hasNoInstanceEvents } from './instance-rules.ts';
import type { StoreContext } from './store-context.ts';

/** Tenant and plug-in are unique only together, and only under their issuer. */
export interface InstallationKey {
  issuer: string;
  tenantId: string;
  pluginId: string;
}

export interface Installation extends InstallationKey {
  /** Kept by the next lives, until the record is deleted (docs/decisions/0014). */
  id: string;
  /** The id of this life. Each life has another one. */
  lifeId: string;
  status: InstallationStatus;
  /** The number of the life; never decreases. 0: only an uninstall has arrived so far. */
  generation: number;
  /** `iat` of the event that began this life, or of a newer install. */
  beganIat: number;
  /** `iat` of the last uninstall; null when there was none. */
  endedIat: number | null;
  /** `iat` of the access_token event whose tokens are stored; null when there are none. */
  appliedIat: number | null;
  /** The platform that these tokens are for; null when there are none. */
  baseUrl: string | null;
  /** The name that the back end gave the plug-in whose URL received its first event; '' for the only one. */
  plugin: string;
  /** The newest generation that became usable; 0: none did (docs/decisions/0036-hooks.md). */
  usableGeneration: number;
  /** This life began, and the plug-in's `beforeInstall` has not let it in yet: no session opens. */
  awaitsAdmission: boolean;
  /** When this life began, epoch milliseconds. */
  beganAt: number;
  /**
   * Its tenant has a newer address: the same tenant and plug-in have had tokens under another issuer since the last
   * event and the last session of this one. When its access ends, it rests.
   */
  hasMoved: boolean;
}

/**
 * Whether pages that match no placed instance have sessions. `until-matched`: only as long as no page of their
 * installation has matched one.
 */
export type UnmatchedPages = 'until-matched' | 'refuse' | 'allow';

export interface LookupRules {
  /** The plug-in whose page asks. Default ''. */
  plugin?: string;
  /** Default: that of `defaultPlatformProfile`. */
  instanceOf?: PlatformProfile['instanceOf'];
  /** Default `until-matched`. */
  unmatched?: UnmatchedPages;
}

/** Which installation a page belongs to, and which widget. */
export type InstanceLookup =
  | {
      outcome: 'found';
      installation: Installation;
      /** `iat` of the tenant's newest uninstall of this plug-in, also under another plug-in id; null: none. */
      lastEndedIat: number | null;
      /** The placed instance, or the best guess if there is no match. */
      instanceId: string;
      /**
       * `placed`: `src` names the instance. `derived`: `src` names something else that leads to it, such as the plug-in.
       * `unknown`: the platform has sent no instance event. `unmatched`: it has, and no placed instance fits.
       */
      match: 'placed' | 'derived' | 'unknown' | 'unmatched';
      /** The form of the first `src` of the installation that was unmatched: see `describeSrc`. Null: none was. */
      srcForm: string | null;
    }
  /** The tenant has no live installation. */
  | { outcome: 'tenant_unknown' }
  /** The tenant has live installations, but none fits, or the instance was removed. */
  | { outcome: 'instance_unknown' };

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
      'installations.moved_at as movedAt',
    ]);
}

type InstallationRow = Omit<Installation, 'awaitsAdmission' | 'hasMoved' | 'lifeId'> & {
  awaitsAdmission: number;
  movedAt: number | null;
};

/** The databases have no common type for true and false. */
export function installationOf({ movedAt, ...row }: InstallationRow): Installation {
  const awaitsAdmission = row.awaitsAdmission === 1;
  return { ...row, lifeId: lifeIdOf(row), awaitsAdmission, hasMoved: movedAt !== null };
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

/** In the order of the ids. */
export async function listInstallations(
  { db }: Context,
  after: string,
  limit: number,
): Promise<Installation[]> {
  const rows = await selectInstallations(db)
    .where('installations.id', '>', after)
    .orderBy('installations.id')
    .limit(limit)
    .execute();
  return rows.map(installationOf);
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

/** A page's question for its installation and instance. */
interface PageQuestion {
  issuer: string;
  tenantId: string;
  /** As the page names its place. Nobody has signed it. */
  src: string;
  plugin: string;
  instanceOf: PlatformProfile['instanceOf'];
  unmatched: UnmatchedPages;
}

export async function findByInstance(
  context: Context,
  { issuer, tenantId, src, plugin, instanceOf, unmatched }: PageQuestion,
): Promise<InstanceLookup> {
  const live = await selectLive(context, { issuer, tenantId });
  if (live.length === 0) return { outcome: 'tenant_unknown' };
  const places = await selectPlaces(context, { src, ids: live.map(({ id }) => id) });
  const installations = live.map((row) => ({ ...row, ...placesOf(places, row, src) }));
  const matched = instanceOf(src, { tenantId, installations });
  if (matched) return answerMatch(installations, matched, src);
  const ofPlugin = installations.filter((each) => each.plugin === plugin);
  // Another plug-in's installation tells the caller why it refuses the session.
  const candidates = ofPlugin.length > 0 ? ofPlugin : installations;
  const found =
    candidates.length === 1
      ? candidates[0]
      : findNamedPlugin(src, { tenantId, installations: candidates });
  if (!found) return { outcome: 'instance_unknown' };
  return answerUnmatched(found, { tenantId, src, unmatched });
}

type LiveRow = Awaited<ReturnType<typeof selectLive>>[number];

interface Places {
  /** The placed instances: those whose ids occur in `src`, and others up to a limit. */
  instanceIds: string[];
  /** An instance that was removed is named by `src`. */
  isRemoved: boolean;
}

type Candidate = LiveRow & Places;

function selectLive({ db }: Context, { issuer, tenantId }: { issuer: string; tenantId: string }) {
  return selectInstallations(db)
    .select([
      'installations.src_matched as srcMatched',
      'installations.src_form as srcForm',
      // Both kinds of database can return a number.
      sql<number>`case when ${hasNoInstanceEvents(sql.ref('installations.id'))} then 1 else 0 end`.as(
        'isSilent',
      ),
      sql<number | null>`(select max(ended.ended_iat) from installations as ended
        where ended.issuer = installations.issuer and ended.tenant_id = installations.tenant_id
        and ended.plugin = installations.plugin)`.as('lastEndedIat'),
    ])
    .where('issuer', '=', canonicalIssuer(issuer) ?? issuer)
    .where('tenant_id', '=', tenantId)
    .where('status', '!=', 'uninstalled')
    .where('awaits_admission', '=', 0)
    .execute();
}

/** A tenant with more widgets of one plug-in may have pages that match only by their own id. */
const maxPlaces = 2_000;

/** The instances of some installations; those whose ids occur in `src` come first. */
async function selectPlaces(
  { db }: Context,
  { src, ids }: { src: string; ids: readonly string[] },
): Promise<PlaceRow[]> {
  const text = src.toLowerCase();
  // `like` would give its wildcards a meaning, and the databases share no other search.
  const isNamed = sql<number>`case when replace(${text}, lower(instance_id), '') <> ${text} then 1 else 0 end`;
  return db
    .selectFrom('instances')
    .select(['installation_id', 'instance_id', 'removed', isNamed.as('named')])
    .where('installation_id', 'in', ids)
    .orderBy('named', 'desc')
    .orderBy('removed')
    .limit(maxPlaces)
    .execute();
}

interface PlaceRow {
  installation_id: string;
  instance_id: string;
  removed: number;
  named: number;
}

function placesOf(
  places: readonly PlaceRow[],
  { id, tenantId }: { id: string; tenantId: string },
  src: string,
): Places {
  const own = places.filter((each) => each.installation_id === id);
  const [placed, removed] = [0, 1].map((flag) =>
    own.filter((each) => each.removed === flag).map((each) => each.instance_id),
  );
  return {
    instanceIds: placed ?? [],
    isRemoved: removed?.some((instanceId) => namesInstance(src, tenantId, instanceId)) ?? false,
  };
}

function answerMatch(
  installations: readonly Candidate[],
  { pluginId, instanceId }: MatchedInstance,
  src: string,
): InstanceLookup {
  const found = installations.find((each) => each.pluginId === pluginId);
  if (!found) return { outcome: 'instance_unknown' };
  const match = namesInstance(src, found.tenantId, instanceId) ? 'placed' : 'derived';
  if (match === 'derived' && found.isRemoved) return { outcome: 'instance_unknown' };
  return { ...answer(found), instanceId, match };
}

/** docs/decisions/0023-placed-instances.md says when a page without a match may have a session. */
function answerUnmatched(
  found: Candidate,
  { tenantId, src, unmatched }: { tenantId: string; src: string; unmatched: UnmatchedPages },
): InstanceLookup {
  const { instanceIds, isRemoved, isSilent, srcMatched } = found;
  const guess = guessInstanceId(src, tenantId);
  if (isSilent === 1) return { ...answer(found), instanceId: guess, match: 'unknown' };
  const isRefused = unmatched === 'refuse' || (unmatched === 'until-matched' && srcMatched === 1);
  if (isRemoved || isRefused) return { outcome: 'instance_unknown' };
  const [only, ...others] = instanceIds;
  const instanceId = only !== undefined && others.length === 0 ? only : guess;
  return { ...answer(found), instanceId, match: 'unmatched' };
}

function answer(candidate: Candidate) {
  const { srcForm, lastEndedIat, ...rest } = candidate;
  const { srcMatched: _, instanceIds: __, isRemoved: ___, isSilent: ____, ...row } = rest;
  return {
    outcome: 'found' as const,
    installation: installationOf(row),
    lastEndedIat,
    srcForm,
  };
}
