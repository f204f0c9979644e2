/** Placing, configuring and removing widgets of an installed plug-in. */
import { randomUUID } from 'node:crypto';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import type { InstanceConfig } from './instance-config.ts';
import { pageUrl, srcOf } from './page-url.ts';
import { removeFirst } from './remove-first.ts';
import { sendEvent } from './send-event.ts';
import type { PlacedInstance } from './snapshot.ts';
import { findInstallation, type TenantState } from './tenant-state.ts';

/** @throws PlatformError `INSTALLATION_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND` */
export async function addInstance(
  env: Environment,
  state: TenantState,
  { pluginId, entryPointId }: { pluginId: string; entryPointId: string },
): Promise<PlacedInstance> {
  const installation = findInstallation(state, pluginId);
  const entryPoint = installation.manifest.entryPoints.find(({ id }) => id === entryPointId);
  if (!entryPoint) {
    const ids = installation.manifest.entryPoints.map(({ id }) => id).join(', ');
    throw new PlatformError(
      'ENTRY_POINT_NOT_FOUND',
      `The manifest has only the entry points ${ids}`,
    );
  }
  const instanceId = randomUUID();
  const { tenantId } = state.tenant;
  const src = srcOf(state.lab.forms.src, { tenantId, pluginId, instanceId });
  const url = pageUrl(entryPoint.url, installation.manifestUrl, src);
  const { height = null } = entryPoint;
  const instance = { instanceId, entryPointId, url, height, config: {} };
  installation.instances.push(instance);
  env.changes.publishPlugins(state.tenant.tenantId);
  await sendEvent(env, state, installation, 'instance_add', { instanceId });
  return instance;
}

/**
 * Stores a copy of `config` in place of the old one. The plug-in's back end gets no event.
 *
 * @throws PlatformError `INSTALLATION_NOT_FOUND`, `INSTANCE_NOT_FOUND`
 */
export function saveConfig(
  env: Environment,
  state: TenantState,
  {
    pluginId,
    instanceId,
    config,
  }: { pluginId: string; instanceId: string; config: InstanceConfig },
): void {
  const { instances } = findInstallation(state, pluginId);
  const instance = instances.find((each) => each.instanceId === instanceId);
  if (!instance) throw new PlatformError('INSTANCE_NOT_FOUND', 'No such instance is placed');
  instance.config = structuredClone(config);
  env.changes.publishPlugins(state.tenant.tenantId);
}

/** @throws PlatformError `INSTALLATION_NOT_FOUND`, `INSTANCE_NOT_FOUND` */
export async function removeInstance(
  env: Environment,
  state: TenantState,
  { pluginId, instanceId }: { pluginId: string; instanceId: string },
): Promise<void> {
  const installation = findInstallation(state, pluginId);
  if (!removeFirst(installation.instances, (each) => each.instanceId === instanceId)) {
    throw new PlatformError('INSTANCE_NOT_FOUND', 'No such instance is placed');
  }
  env.changes.publishPlugins(state.tenant.tenantId);
  await sendEvent(env, state, installation, 'instance_remove', { instanceId });
}
