import { matchInstance } from './match-instance.ts';
import { joinPlatformUrl } from './urls.ts';

/**
 * The points that the specification leaves open, and that may differ between platforms, in one replaceable
 * object. The values, and how certain each one is: docs/decisions/0003-platform-profile.md.
 */
export interface PlatformProfile {
  /** Where a refresh's parameters are sent; the code exchange always uses the query (Spec §4.2). */
  refreshPlacement: 'query' | 'body';
  /**
   * How client id and secret are encoded as HTTP Basic: `plain` is base64 of the UTF-8 bytes of `id:secret`
   * (Spec §4.2); `form` encodes both as form fields first (RFC 6749 §2.3.1).
   */
  basicEncoding: 'plain' | 'form';
  /** Path of createNotification, relative to the tenant's `base_url`. */
  notificationPath(pluginId: string, instanceId: string): string;
  /** The placed instance that a page's `src` names; undefined: none, or it cannot be told. */
  instanceOf: typeof matchInstance;
}

const defaultNotificationPath = '/api/plugins/{pluginId}/instances/{instanceId}/notifications';

export const defaultPlatformProfile: PlatformProfile = {
  refreshPlacement: 'query',
  basicEncoding: 'plain',
  notificationPath: parseNotificationPath(defaultNotificationPath),
  instanceOf: matchInstance,
};

/**
 * Reads a path such as `/api/plugins/{pluginId}/instances/{instanceId}/notifications`. The ids are percent-encoded.
 *
 * @example
 * const notificationPath = parseNotificationPath('/v2/{pluginId}/{instanceId}/notify');
 * const path = notificationPath('nudge', 'widget-1'); // '/v2/nudge/widget-1/notify'
 *
 * @throws TypeError when one of the names is missing, or when it is not a plain path below `base_url`.
 */
export function parseNotificationPath(template: string): PlatformProfile['notificationPath'] {
  for (const name of ['{pluginId}', '{instanceId}']) {
    if (template.split(name).length !== 2) throw new TypeError(`It must contain ${name} once`);
  }
  const fill = (pluginId: string, instanceId: string) =>
    template
      .replace('{pluginId}', encodeURIComponent(pluginId))
      .replace('{instanceId}', encodeURIComponent(instanceId));
  joinPlatformUrl('https://tenant.example', fill('x', 'x'));
  return fill;
}
