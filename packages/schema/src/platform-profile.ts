import { joinPlatformUrl } from './urls.ts';

/**
 * What the specification leaves open and a platform may do differently, in one replaceable object.
 * Each value and how sure it is: docs/decisions/0003-platform-profile.md.
 */
export interface PlatformProfile {
  /** Where a refresh's parameters travel; the code exchange always uses the query (Spec §4.2). */
  refreshPlacement: 'query' | 'body';
  /**
   * How client id and secret become HTTP Basic: `plain` is base64 of the UTF-8 bytes of `id:secret`
   * (Spec §4.2); `form` encodes both as form fields first (RFC 6749 §2.3.1).
   */
  basicEncoding: 'plain' | 'form';
  /** Path of createNotification, relative to the tenant's `base_url`. */
  notificationPath(pluginId: string, instanceId: string): string;
}

const defaultNotificationPath = '/api/plugins/{pluginId}/instances/{instanceId}/notifications';

export const defaultPlatformProfile: PlatformProfile = {
  refreshPlacement: 'query',
  basicEncoding: 'plain',
  notificationPath: parseNotificationPath(defaultNotificationPath),
};

/**
 * Reads a path such as `/api/plugins/{pluginId}/instances/{instanceId}/notifications`.
 *
 * @throws TypeError when it lacks one of both names, or would be no plain path below `base_url`.
 */
export function parseNotificationPath(template: string): PlatformProfile['notificationPath'] {
  for (const name of ['{pluginId}', '{instanceId}']) {
    if (template.split(name).length !== 2) throw new TypeError(`It must hold ${name} once`);
  }
  const fill = (pluginId: string, instanceId: string) =>
    template.replace('{pluginId}', pluginId).replace('{instanceId}', instanceId);
  joinPlatformUrl('https://tenant.example', fill('x', 'x'));
  return fill;
}
