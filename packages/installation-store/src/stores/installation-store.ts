/** Installations, their lives and their instances. */
import { defaultPlatformProfile } from '@dowel/schema';
import { lockInstallation } from '../sql/database.ts';
import {
  findByInstance,
  findInstallation,
  getInstallation,
  type Installation,
  type InstallationKey,
  type LookupRules,
  listInstallations,
} from './find-installation.ts';
import { type InstanceChange, writeInstance } from './instance-rules.ts';
import { antedateLife, type Beginning, beginLife, endLife, giveUpLife } from './lives.ts';
import { type MoveEvent, noteMove } from './other-address.ts';
import { endMove } from './set-pause.ts';
import type { StoreContext } from './store-context.ts';

type Context = Omit<StoreContext, 'keyring'>;

/** The installations of one database. `at` in epoch milliseconds, `iat` in seconds. Its methods throw what the database throws. */
export function createInstallationStore(context: Context) {
  return {
    find: (key: InstallationKey) => findInstallation(context, key),
    get: (id: string) => getInstallation(context, id),
    /** At most `limit`, in the order of their ids, from the one after `id` on. '' begins. */
    listAfter: (id: string, limit: number) => listInstallations(context, id, limit),
    /**
     * The live installation and the instance that a page's `src` names (docs/decisions/0023). If the tenant has
     * no installation of this plug-in, another plug-in's may be found.
     */
    findByInstance: (issuer: string, tenantId: string, src: string, options: LookupRules = {}) =>
      findByInstance(context, { ...lookupDefaults, ...options, issuer, tenantId, src }),
    /**
     * Creates the installation, or begins its next life if the previous one ended before `iat`. A live
     * installation keeps its life, but an install moves its start to the newer `iat`, so that a late, older
     * uninstall does not end it.
     *
     * @returns the installation after that: `uninstalled` if the event belongs to a life that has ended.
     */
    begin: (key: InstallationKey, iat: number, at: number, beginning?: Beginning) =>
      beginLife(context, key, { ...beginning, iat, at }),
    /**
     * Ends the life that existed when the uninstall was signed, and deletes its secrets and sessions at once. A
     * tombstone remains (docs/decisions/0014) until `Store.maintain` purges it, also for an unknown
     * installation (generation 0). A life that began later continues, without the tokens of events from before
     * `iat`.
     */
    uninstall: (key: InstallationKey, iat: number) => endLife(context, key, iat),
    /**
     * A copy of the access_token event with the digest `code` was signed earlier. If that event began the life,
     * the life's start moves back to `iat`.
     */
    antedate: (installation: Installation, code: string, iat: number) =>
      antedateLife(context, installation, { code, iat }),
    /**
     * The code of the access_token event with the digest `code` was refused, so that event proves no life. A
     * life that only this event began after an uninstall ends. Any other life continues: it began with its
     * newest install or, without one, any later uninstall ends it.
     */
    giveUp: (installation: Installation, code: string) => giveUpLife(context, installation, code),
    /**
     * Notes that the tenant of this installation has its newest address here. Call it in the transaction that stores the
     * tokens of an event.
     *
     * @returns the older ones that were not noted before.
     */
    noteMove: (installation: InstallationKey, event: MoveEvent) =>
      noteMove(context, installation, event),
    /** An event or a session of this address has come: the installation does not rest any more. */
    endMove: (id: string) => endMove(context, id),
    ...createInstanceMethods(context),
  };
}

function createInstanceMethods(context: Context) {
  return {
    /** An event that is not newer than the newest one about this instance changes nothing: false. */
    addInstance: (installationId: string, instanceId: string, iat: number) =>
      addInstance(context, { installationId, instanceId, iat }),
    /** Ends the sessions of the instance, too. Wins over an addition of the same second. Otherwise as `addInstance`. */
    removeInstance: (installationId: string, instanceId: string, iat: number) =>
      removeInstance(context, { installationId, instanceId, iat }),
    /** The placed instances after the id `after`, in the order of their ids; at most `limit`. '' begins. */
    listInstances: (installationId: string, page: { after: string; limit: number }) =>
      listInstances(context, installationId, page),
    /**
     * The issuers of the living installations that have placed one of these instances, in order; at most `limit`. More
     * than one if tenants use the same id.
     */
    listIssuersOf: (instanceIds: readonly string[], limit: number) =>
      listIssuersOf(context, { instanceIds, limit }),
  };
}

const lookupDefaults = {
  plugin: '',
  instanceOf: defaultPlatformProfile.instanceOf,
  unmatched: 'until-matched',
} as const;

async function listInstances(
  { db }: Context,
  installationId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('instances')
    .select('instance_id')
    .where('installation_id', '=', installationId)
    .where('instance_id', '>', after)
    .where('removed', '=', 0)
    .orderBy('instance_id')
    .limit(limit)
    .execute();
  return rows.map(({ instance_id }) => instance_id);
}

async function listIssuersOf(
  { db }: Context,
  { instanceIds, limit }: { instanceIds: readonly string[]; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('instances')
    .innerJoin('installations', 'installations.id', 'instances.installation_id')
    .select('installations.issuer')
    .distinct()
    .where('instances.instance_id', 'in', instanceIds)
    .where('instances.removed', '=', 0)
    .where('installations.ended_at', 'is', null)
    .orderBy('installations.issuer')
    .limit(limit)
    .execute();
  return rows.map(({ issuer }) => issuer);
}

type InstanceEvent = Omit<InstanceChange, 'isRemoved'>;

async function addInstance({ db, changed }: Context, event: InstanceEvent): Promise<boolean> {
  const isWritten = await writeInstance({ db }, { ...event, isRemoved: false });
  changed(event.installationId);
  return isWritten;
}

async function removeInstance(context: Context, event: InstanceEvent): Promise<boolean> {
  const { db, changed } = context;
  const { installationId, instanceId } = event;
  await lockInstallation(context, installationId);
  if (!(await writeInstance({ db }, { ...event, isRemoved: true }))) return false;
  // The rows are kept, because they record which init JWTs were used. No life has the number 0.
  await db
    .updateTable('plugin_sessions')
    .set({ generation: 0, claims_sealed: null })
    .where('installation_id', '=', installationId)
    .where('instance_id', '=', instanceId)
    .execute();
  changed(installationId);
  return true;
}
