/** How many notifications sessions, users, tenants and this process may send in a minute (row H12). */
export interface NotificationLimits {
  /** Of one session, which is one page of a user. Default: as many as of a user. */
  perSessionPerMinute?: number | undefined;
  /** Of one user of a tenant, over all sessions. */
  perUserPerMinute: number;
  /** Of one plug-in in one tenant. */
  perTenantPerMinute: number;
  /** Of all tenants together. */
  perProcessPerMinute: number;
}

export const defaultNotificationLimits: NotificationLimits = {
  perUserPerMinute: 60,
  perTenantPerMinute: 600,
  perProcessPerMinute: 6_000,
};
