/** The platform for work that no user asked for, such as a timer's or a hook's. */
import type { Store } from '@dowel/installation-store';
import type { NotificationRequest } from '@dowel/schema';
import { callPlatform, type Platform, type PlatformInit } from './call-platform.ts';
import type { CalledInstallation } from './create-platform.ts';
import { type NotifyContext, type NotifyOptions, notify } from './notify.ts';
import { PlatformError } from './platform-error.ts';
import type { PlatformPath } from './platform-path.ts';

/** An id stands for whichever life the installation has, an installation for its own life. */
export type InstallationReference = string | CalledInstallation;

export interface NotificationTarget {
  installation: InstallationReference;
  /** The placed widget that the notification comes from. */
  instanceId: string;
}

export interface WithoutUserContext extends NotifyContext {
  store: Pick<Store, 'installations'>;
}

export function platformOf(
  { tokenClient }: WithoutUserContext,
  installation: InstallationReference,
): Platform {
  const target =
    typeof installation === 'string'
      ? { installationId: installation, generation: undefined }
      : { installationId: installation.id, generation: installation.generation };
  return {
    fetch: (path: string | PlatformPath, init: PlatformInit = {}) =>
      callPlatform(tokenClient, target, { path, init, scope: {} }),
  };
}

/** @throws PlatformError; TypeError for a request that fits no notification */
export async function notifyFrom(
  context: WithoutUserContext,
  { installation, instanceId }: NotificationTarget,
  { notification, signal }: NotifyOptions & { notification: NotificationRequest },
): Promise<void> {
  const found =
    typeof installation === 'string'
      ? await context.store.installations.get(installation)
      : installation;
  if (!found) throw new PlatformError('INSTALLATION_ENDED', 'There is no such installation');
  const { id: installationId, pluginId, generation } = found;
  const source = { installationId, generation, pluginId, instanceId };
  await notify(context, source, { notification, scope: { signal } });
}
