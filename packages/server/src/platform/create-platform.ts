import type { NotificationRequest } from '@dowel/schema';
import {
  type CallScope,
  callPlatform,
  joinSignals,
  type Platform,
  type PlatformInit,
} from './call-platform.ts';
import { type Notifier, type NotifyContext, type NotifyOptions, notify } from './notify.ts';
import type { PlatformPath } from './platform-path.ts';

export type PlatformContext = NotifyContext;

/** The installation as calls of its platform need it. */
export interface CalledInstallation {
  id: string;
  pluginId: string;
  generation: number;
}

/** The platform of one installation, for one life of it. */
export function createPlatform(
  context: PlatformContext,
  { id: installationId, pluginId, generation }: CalledInstallation,
  { instanceId, scope }: { instanceId: string; scope: CallScope },
): Platform & Notifier {
  const target = { installationId, generation };
  return {
    fetch: (path: string | PlatformPath, init: PlatformInit = {}) =>
      callPlatform(context.tokenClient, target, { path, init, scope }),
    notify: (notification: NotificationRequest, { signal }: NotifyOptions = {}) =>
      notify(
        context,
        { ...target, pluginId, instanceId },
        { notification, scope: { ...scope, signal: joinSignals(scope.signal, signal) } },
      ),
  };
}
