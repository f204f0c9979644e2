/** Installing, updating and removing a plug-in (Spec §3). */
import { randomUUID } from 'node:crypto';
import type { Manifest } from '@dowel/schema';
import { forgetClient } from './authorization-server/index.ts';
import type { Failure } from './control-api.ts';
import type { Environment } from './environment.ts';
import { InstallationFailedError, PlatformError } from './errors.ts';
import { claimsOf } from './event-claims.ts';
import { type ExchangeRecord, viewExchange } from './exchange-log.ts';
import { prepareEvent } from './prepare-event.ts';
import { readManifest } from './read-manifest.ts';
import { removeFirst } from './remove-first.ts';
import { sendAccessTokenEvent } from './send-access-token-event.ts';
import { sendEvent } from './send-event.ts';
import type { InstallationRecord } from './snapshot.ts';
import { findInstallation, isPresent, type TenantState } from './tenant-state.ts';

export interface InstallRequest {
  manifestUrl: string;
  pluginId?: string;
  /** Returns the manifest to install in place of the one that was read. */
  manifest?: ((read: Manifest) => Manifest) | undefined;
}

/**
 * Sends `install`, then `access_token`. When either fails, the whole installation fails and the
 * plug-in gets an `uninstall` event right after, because it may have stored data before it failed.
 *
 * @throws InstallationFailedError; PlatformError `ALREADY_INSTALLED`
 */
export async function install(
  env: Environment,
  state: TenantState,
  { manifestUrl, pluginId = randomUUID(), manifest: change }: InstallRequest,
): Promise<InstallationRecord> {
  if (state.installations.some((each) => each.pluginId === pluginId)) {
    throw new PlatformError('ALREADY_INSTALLED', 'This plug-in id is taken');
  }
  const begun = { pluginId };
  state.installing.add(begun);
  try {
    const read = await readManifest(env, manifestUrl, {
      tenantId: state.tenant.tenantId,
      pluginId,
    });
    const manifest = change?.(read) ?? read;
    const installedAt = env.now();
    const installation = { pluginId, manifestUrl, manifest, installedAt, instances: [] };
    await complete(env, state, installation);
    return installation;
  } finally {
    state.installing.delete(begun);
  }
}

async function complete(
  env: Environment,
  state: TenantState,
  installation: InstallationRecord,
): Promise<void> {
  const { pluginId } = installation;
  const deliveries = await sendInstallationEvents(env, state, installation);
  const failure = deliveries.at(-1)?.error;
  if (failure) {
    forgetClient(state.authorizationServer, pluginId);
    env.changes.publishPlugins(state.tenant.tenantId);
    const uninstallDelivery = await sendEvent(env, state, installation, 'uninstall');
    if (uninstallDelivery) deliveries.push(uninstallDelivery);
    throw failed(failure, deliveries);
  }
  // Another installation of the same id may have ended in between: the later one counts.
  removeFirst(state.installations, (each) => each.pluginId === pluginId);
  state.installations.push(installation);
  env.changes.publishPlugins(state.tenant.tenantId);
}

function failed(
  { code, message }: NonNullable<ExchangeRecord['error']>,
  deliveries: ExchangeRecord[],
): InstallationFailedError {
  const views = deliveries.map((each) => viewExchange(each, { reveal: false }));
  return new InstallationFailedError({ code: code as Failure['code'], message }, views);
}

/** Stops at the first delivery that fails. */
async function sendInstallationEvents(
  env: Environment,
  state: TenantState,
  installation: InstallationRecord,
): Promise<ExchangeRecord[]> {
  const deliveries: ExchangeRecord[] = [];
  const sendInstall = async () =>
    sendEvent(
      env,
      state,
      installation,
      'install',
      await claimsOf(env, state, installation, { event: 'install' }),
    );
  const sendAccessToken = async () =>
    installation.manifest.apiAccess ? sendAccessTokenEvent(env, state, installation) : null;
  const steps = [sendInstall, sendAccessToken];
  const { pluginId } = installation;
  const { tenantId } = state.tenant;
  if (env.faults.take('event', { tenantId, pluginId }, ['event.reordered'])) steps.reverse();
  for (const step of steps) {
    const delivery = await step();
    if (delivery) deliveries.push(delivery);
    if (delivery?.error) break;
  }
  return deliveries;
}

/**
 * Reads the manifest again. Only an update that newly adds `apiAccess` sends an event; when it fails
 * the old manifest stays and no `uninstall` is sent (Spec §3).
 *
 * @throws InstallationFailedError; PlatformError `INSTALLATION_NOT_FOUND`, `UPDATE_IN_PROGRESS`
 */
export async function update(
  env: Environment,
  state: TenantState,
  { pluginId, manifest }: Pick<InstallRequest, 'manifest'> & { pluginId: string },
): Promise<InstallationRecord> {
  const installation = findInstallation(state, pluginId);
  if (state.updating.has(installation)) {
    throw new PlatformError('UPDATE_IN_PROGRESS', 'Another update of this plug-in is in progress');
  }
  state.updating.add(installation);
  try {
    await applyUpdate(env, state, installation, manifest);
  } finally {
    state.updating.delete(installation);
  }
  findInstallation(state, pluginId);
  env.changes.publishPlugins(state.tenant.tenantId);
  return installation;
}

async function applyUpdate(
  env: Environment,
  state: TenantState,
  installation: InstallationRecord,
  change: InstallRequest['manifest'],
): Promise<void> {
  const { pluginId, manifestUrl } = installation;
  const { tenantId } = state.tenant;
  const read = await readManifest(env, manifestUrl, { tenantId, pluginId });
  const manifest = change?.(read) ?? read;
  // It may have been removed meanwhile.
  findInstallation(state, pluginId);
  if (manifest.apiAccess && !installation.manifest.apiAccess) {
    const recipient = { pluginId, manifestUrl, manifest };
    const delivery = await sendAccessTokenEvent(env, state, recipient);
    if (delivery.error || !isPresent(state, pluginId)) {
      forgetClient(state.authorizationServer, pluginId);
    }
    if (delivery.error) {
      env.changes.publishPlugins(state.tenant.tenantId);
      throw failed(delivery.error, [delivery]);
    }
  }
  if (!manifest.apiAccess) forgetClient(state.authorizationServer, pluginId);
  installation.manifest = manifest;
}

/** Codes, tokens and the trigger token are void before the plug-in gets the event. */
export async function uninstall(
  env: Environment,
  state: TenantState,
  pluginId: string,
): Promise<void> {
  const installation = findInstallation(state, pluginId);
  const { tenantId } = state.tenant;
  const met = env.faults.take('event', { tenantId, pluginId }, ['event.afterUninstall']);
  const sendLate = met && (await prepareLateEvent(env, state, installation));
  removeFirst(state.installations, (each) => each === installation);
  forgetClient(state.authorizationServer, pluginId);
  env.changes.publishPlugins(tenantId);
  await sendEvent(env, state, installation, 'uninstall');
  await sendLate?.();
}

/** An access_token event that is signed before the uninstall. */
async function prepareLateEvent(
  env: Environment,
  state: TenantState,
  installation: InstallationRecord,
): Promise<() => Promise<unknown>> {
  const event = 'access_token';
  const claims = await claimsOf(env, state, installation, { event });
  const unsent = await prepareEvent(env, state, installation, event, claims);
  const jwt = await unsent?.sign();
  return async () => unsent?.send({ ...(jwt && { jwt }), fault: 'event.afterUninstall' });
}
