/** Limits of notifications in a minute: per session, user, tenant and process (row H12). */
export interface NotificationLimits {
  /** Limit of one session, which is one page of a user. Default: the limit of a user. */
  perSessionPerMinute?: number | undefined;
  /** Limit of one user of a tenant, over all sessions. */
  perUserPerMinute: number;
  /** Limit of one plug-in in one tenant. */
  perTenantPerMinute: number;
  /** Limit of all tenants together. */
  perProcessPerMinute: number;
}

export const defaultNotificationLimits: NotificationLimits = {
  perUserPerMinute: 60,
  perTenantPerMinute: 600,
  perProcessPerMinute: 6_000,
};
