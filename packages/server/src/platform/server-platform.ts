/** Calls of a platform that no user asked for: from a timer, a queue or an own route. */
import type { Installation, Store } from '@dowel/installation-store';
import type { NotificationRequest } from '@dowel/schema';
import { callPlatform, type Platform, type PlatformInit } from './call-platform.ts';
import { type NotifyContext, type NotifyOptions, notify } from './notify.ts';
import { PlatformError } from './platform-error.ts';
import type { PlatformPath } from './platform-path.ts';

/** An id means whichever life the installation has; an installation means its own life only. */
export type InstallationChoice = string | Pick<Installation, 'id' | 'generation'>;

/** The widget that a notification comes from. */
export interface NotificationOrigin {
  installation: InstallationChoice;
  instanceId: string;
}

export type ServerPlatformContext = NotifyContext & { store: Pick<Store, 'installations'> };

export function createServerPlatform(
  contextOf: () => ServerPlatformContext,
  choice: InstallationChoice,
): Platform {
  const target = targetOf(choice);
  return {
    fetch: (path: string | PlatformPath, init: PlatformInit = {}) =>
      callPlatform(contextOf().tokenClient, target, { path, init, scope: {} }),
  };
}

/** @throws PlatformError, also `INSTALLATION_ENDED` for an id that is not known; TypeError */
export async function notifyFromServer(
  context: ServerPlatformContext,
  { installation: choice, instanceId }: NotificationOrigin,
  { notification, signal }: { notification: NotificationRequest } & NotifyOptions,
): Promise<void> {
  const target = targetOf(choice);
  const found = await context.store.installations.get(target.installationId);
  if (!found) throw new PlatformError('INSTALLATION_ENDED', 'There is no such installation');
  const { pluginId } = found;
  await notify(context, { ...target, pluginId, instanceId }, { notification, scope: { signal } });
}

function targetOf(choice: InstallationChoice) {
  if (typeof choice === 'string') return { installationId: choice, generation: undefined };
  return { installationId: choice.id, generation: choice.generation };
}
