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

export const defaultPlatformProfile: PlatformProfile = {
  refreshPlacement: 'query',
  basicEncoding: 'plain',
  notificationPath: (pluginId, instanceId) =>
    `/api/plugins/${pluginId}/instances/${instanceId}/notifications`,
};
