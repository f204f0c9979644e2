import { joinSignals } from '@dowel/http';
import type { NotificationRequest } from '@dowel/schema';
import { bindPlatform, type CallScope, type Platform } from './call-platform.ts';
import {
  type Notifier,
  type NotifyContext,
  type NotifyOptions,
  notify,
  readNotifyOptions,
} from './notify.ts';

export type PlatformContext = NotifyContext;

/** The part of an installation that calls of its platform need. */
export interface CalledInstallation {
  id: string;
  pluginId: string;
  generation: number;
}

/**
 * Creates the platform of one generation of an installation.
 *
 * @param admit called before each notification; throws if there are too many
 */
export function createPlatform(
  context: PlatformContext,
  { id: installationId, pluginId, generation }: CalledInstallation,
  { instanceId, scope, admit }: { instanceId: string; scope: CallScope; admit?: () => void },
): Platform & Notifier {
  const target = { installationId, generation };
  return {
    ...bindPlatform(context, target, scope),
    async notify(notification: NotificationRequest, options?: NotifyOptions) {
      const { signal } = readNotifyOptions(options);
      admit?.();
      await notify(
        context,
        { ...target, pluginId, instanceId },
        { notification, scope: { ...scope, signal: joinSignals(scope.signal, signal) } },
      );
    },
  };
}
