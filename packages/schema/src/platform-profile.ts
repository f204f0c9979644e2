/**
 * What the specification leaves open and a platform may do differently, in one replaceable object.
 * Each value and how sure it is: docs/decisions/0003-platform-profile.md.
 */
export interface PlatformProfile {
  /** Where a refresh's parameters travel; the code exchange always uses the query (Spec §4.2). */
  refreshPlacement: 'query' | 'body';
  /** Path of createNotification, relative to the tenant's `base_url`. */
  notificationPath(pluginId: string, instanceId: string): string;
}

export const defaultPlatformProfile: PlatformProfile = {
  refreshPlacement: 'query',
  notificationPath: (pluginId, instanceId) =>
    `/api/plugins/${pluginId}/instances/${instanceId}/notifications`,
};
