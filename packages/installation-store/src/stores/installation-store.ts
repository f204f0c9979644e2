/** Installations, their lives and their instances. */

import { defaultPlatformProfile } from '@dowel/schema';
import type { InstallationStore } from '../installation-store.ts';
import { lockInstallation } from '../sql/database.ts';
import {
  findByInstance,
  findInstallation,
  getInstallation,
  listInstallations,
} from './find-installation.ts';
import { type InstanceChange, writeInstance } from './instance-rules.ts';
import { antedateLife, beginLife, endLife, giveUpLife } from './lives.ts';
import { noteMove } from './other-address.ts';
import { endMove } from './set-pause.ts';
import type { StoreContext } from './store-context.ts';

type Context = Omit<StoreContext, 'keyring'>;

/** The installations of one database. Its methods throw what the database throws. */
export function createInstallationStore(context: Context): InstallationStore {
  return {
    find: (key) => findInstallation(context, key),
    get: (id) => getInstallation(context, id),
    listAfter: (id, limit) => listInstallations(context, id, limit),
    findByInstance: (issuer, tenantId, src, options = {}) =>
      findByInstance(context, { ...lookupDefaults, ...options, issuer, tenantId, src }),
    begin: (key, iat, at, beginning) => beginLife(context, key, { ...beginning, iat, at }),
    uninstall: (key, iat) => endLife(context, key, iat),
    antedate: (installation, code, iat) => antedateLife(context, installation, { code, iat }),
    giveUp: (installation, code) => giveUpLife(context, installation, code),
    noteMove: (installation, event) => noteMove(context, installation, event),
    endMove: (id) => endMove(context, id),
    addInstance: (installationId, instanceId, iat) =>
      addInstance(context, { installationId, instanceId, iat }),
    removeInstance: (installationId, instanceId, iat) =>
      removeInstance(context, { installationId, instanceId, iat }),
    listInstances: (installationId, page) => listInstances(context, installationId, page),
    listIssuersOf: (instanceIds, limit) => listIssuersOf(context, { instanceIds, limit }),
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
